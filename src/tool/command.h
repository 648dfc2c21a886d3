/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_COMMAND_H
#define VECWIRE_TOOL_COMMAND_H

/* The commands. argv[0] is the command's name; each returns what to exit
 * with (enum tool_exit). */
int vecwire__command_serve(int argc, char **argv);
int vecwire__command_query(int argc, char **argv);
int vecwire__command_import(int argc, char **argv);
int vecwire__command_delete(int argc, char **argv);
int vecwire__command_load(int argc, char **argv);
int vecwire__command_export(int argc, char **argv);
int vecwire__command_get(int argc, char **argv);
int vecwire__command_count(int argc, char **argv);
int vecwire__command_collections(int argc, char **argv);
int vecwire__command_raw(int argc, char **argv);

#endif

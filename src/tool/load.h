/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_LOAD_H
#define VECWIRE_TOOL_LOAD_H

#include "tool/histogram.h"
#include "tool/session.h"

/* What `vecwire load` was asked for; counts are totals over all threads. */
struct load_options {
    struct tool_common common;
    const struct vecwire_hms_mask *mask; /* NULL: none */
    const char *vectors_file;
    const char *path; /* NULL: queries */
    const char *method;
    const char *body_file;
    const char *vector_name; /* NULL: the unnamed one */
    uint64_t requests;       /* 0: by duration */
    uint64_t duration_ns;
    uint64_t warmup_ns;
    double rate; /* requests a second; 0: closed loop */
    uint32_t concurrency;
    uint32_t connections;
    uint32_t threads;
    uint32_t dim;
    uint32_t top_k;
    uint32_t batch; /* rows a write */
    bool upsert;    /* writes, not queries */
    bool wait;      /* Qdrant: for each of them to be done */
};

/* What is sent, shared by all threads and never written by them. */
struct load_input {
    const struct load_options *options;
    float *vectors; /* n_vectors x dim */
    size_t n_vectors;
    size_t dim;
    char *body;
    size_t body_len;
};

/* Figures of one worker, or the sum of all. */
struct load_figures {
    struct histogram latency; /* ns, of requests that succeeded */
    uint64_t requests;        /* completed, the failed ones included */
    uint64_t errors;
    uint64_t late_sends; /* over 1 ms behind the time they were due */
    uint64_t unsent;     /* due, but the end came first */
    uint64_t loop_iterations;
    uint64_t bytes_sent;
    uint64_t bytes_received;
    uint64_t connections_opened;
    uint64_t retries;
    uint64_t began_ns;
    uint64_t ended_ns;
    char first_error[1024]; /* "" when there is none */
};

struct load_worker;

/* A call that may be in flight. */
struct load_slot {
    struct load_worker *worker;
    uint64_t due_ns; /* latency counts from here */
    bool measured;
};

/* One thread's share: a base, a client, some calls in flight. */
struct load_worker {
    const struct load_input *input;
    struct tool_session session;
    struct load_slot *slots;
    struct load_slot **free_slots; /* a stack */
    size_t n_free;
    size_t n_slots;
    size_t next_vector;
    uint32_t index;      /* of this worker */
    uint64_t next_write; /* number of the next write of this worker */
    uint64_t *numbers;   /* writes: the ids of one, as numbers, */
    char (*texts)[32];   /* or as texts, */
    const char **ids;    /* and where these are */

    bool measuring;
    bool stopping;    /* nothing more is to be sent */
    uint64_t end_ns;  /* of the part at hand */
    uint64_t share;   /* requests of the measured part; 0: by duration */
    uint64_t sent;    /* of the part at hand */
    double gap_ns;    /* open loop: between two due times; 0: closed */
    double offset_ns; /* open loop: of the first due time */
    int timer_fd;     /* open loop: -1 in a closed one */
    struct event *timer;
    uint64_t timer_at; /* what it is set to; 0: it is not */

    struct load_figures figures;
    int status; /* enum tool_exit */
};

/* Give worker `index` its share and open its client; what to exit with. */
int vecwire__load_worker_init(struct load_worker *worker, uint32_t index,
                              const struct load_input *input);

/* A closed loop that counts in no figure and leaves connections open. */
void vecwire__load_worker_warm(struct load_worker *worker);

/* The part that is measured, into worker->figures. */
void vecwire__load_worker_measure(struct load_worker *worker);

void vecwire__load_worker_fini(struct load_worker *worker);

/* Open loop: send what is due by now and set the timer for the next. */
void vecwire__load_pace(struct load_worker *worker);

/* Stop the loop when nothing is in flight and nothing more is to come. */
void vecwire__load_end_if_over(struct load_worker *worker);

/* Open loop: make and free the timer. False: it could not be made. */
bool vecwire__load_pace_init(struct load_worker *worker);
void vecwire__load_pace_fini(struct load_worker *worker);

/* Send one request that was due at `due_ns`; false: nothing can be sent. */
bool vecwire__load_send(struct load_worker *worker, uint64_t due_ns);

/* Room for the ids of one write, and its end. */
void vecwire__load_upsert_init(struct load_worker *worker);
void vecwire__load_upsert_fini(struct load_worker *worker);

/* Start one write of options->batch rows. */
enum vecwire_err vecwire__load_upsert(struct load_worker *worker,
                                      struct vecwire_refusal *refusal,
                                      vecwire_reply_cb cb, void *arg);

/* CLOCK_MONOTONIC. */
uint64_t vecwire__load_now(void);

/* Read or make what is to be sent; false: it could not, said so. */
bool vecwire__load_input_init(struct load_input *input,
                              const struct load_options *options);

void vecwire__load_input_fini(struct load_input *input);

/* Print the sum of all workers. `cpu_us` is what the process used meanwhile,
 * NaN when it is not known. */
void vecwire__load_report(const struct load_options *options,
                          const struct load_figures *figures, double cpu_us);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for the JSON reader's tests, of the table in json_record.h. */
#ifndef JSON_DOCUMENTS_H
#define JSON_DOCUMENTS_H

#include "tests/json_record.h"

/* A text, the place of its first fault marked by '@' before it, how reading
 * it ends, and the key that is blamed. */
struct document {
    const char *text;
    enum vecwire__json_rc rc;
    const char *key;
};

#define GOOD VECWIRE__JSON_DONE, ""
#define GRAMMAR(key) VECWIRE__JSON_EGRAMMAR, key
#define TYPE(key) VECWIRE__JSON_ETYPE, key
#define TWICE(key) VECWIRE__JSON_ETWICE, key
#define RANGE(key) VECWIRE__JSON_ERANGE, key
#define END(key) VECWIRE__JSON_EEND, key

#define POINT(members) "{\"result\":{\"points\":[{" members "}]}}"
#define VECTOR(elements) POINT("\"vector\":[" elements "]")
#define HIT(members) "{\"either\":[{" members "}]}"
#define NAMED(members) HIT("\"vector\":{" members "}")
#define FILLER "\"filler\":\"0123456789 0123456789 0123456789\","

static const struct document documents[] = {
    {"{}", GOOD},
    {" \t\r\n{ } \n", GOOD},
    {"{\"result\":{\"points\":[{\"id\":1,\"payload\":{\"a\":[1,-2.5e+3,{\"b\":"
     "\"x\\\"y\\u00e9\\ud83d\\ude00\xc3\xa9\xe6\xa4\x9c\xf0\x9f\x94\x8e\"}],"
     "\"t\":true,\"f\":false,\"n\":null,\"e\":{},\"l\":[]},\"vector\":[0.125,"
     "-0.5,1,1e-7]}]},\"status\":\"ok\"}",
     GOOD},
    {" { \"time\" : 1.5e-3 , \"status\" : [ 1 , { } ] , \"result\" : { "
     "\"next\" : null ,\n\"points\" : [ { \"\\u0069d\" : "
     "18446744073709551615 ,\t\"v\\u0065ctor\" : [ 0.1 , -0.25 ,\r\n0.3333333 "
     ",\tnull ] } , { } ] } } \n",
     GOOD},
    {"{\"result\":{\"points\":[{\"name\":\"a\\n\\u0041\\u0000\\ud83d\\ude80\","
     "\"meta\":{\"k\":[{}]},\"id\":\"\\\"\xd0\xbf\xd0\xbe\xd0\xb8 "
     "\xf4\x8f\xbf\xbf\"}],\"next\":\"5c56c793\",\"count\":0}}",
     GOOD},
    {"{\"any\":[1,{\"id\":[[]]},\"x\",null,true,false,[0.5e-3]],\"usage\":{"
     "\"time\":\"no\",\"time\":1},\"ok\":false,\"other\":[],\"result\":null}",
     GOOD},
    {VECTOR("0.12345678901234567,0.1234567890123456789012345,123456789.25,"
            "3.4028235e38,1e-45,-0,17.0,0,-0.000000000000000001,255,0.5"),
     GOOD},
    {VECTOR("null,0.25 , null,1E2\n"), GOOD},
    {VECTOR(""), GOOD},
    {POINT("\"score\":null,\"payload\":null,\"name\":null,\"meta\":null,"
           "\"vector\":null"),
     GOOD},
    {POINT("\"inner\":{\"id\":7,\"inner\":{\"id\":\"\"}},\"id\":8,"
           "\"a_key_of_23_bytes_in_it\":9,\"a_key_of_23_bytes_in_its\":1"),
     GOOD},
    {POINT(FILLER "\"score\":0.875 , \"payload\":  \"a\\u0062\"  ,"
                  "\"id\":18446744073709551615"),
     GOOD},
    {POINT(FILLER "\"score\":-0.0009765625,\"payload\":-1.5E-2,\"id\":0"),
     GOOD},
    /* vectors of all forms, maps, either an object or an array */
    {"{\"either\":{\"points\":[{\"id\":1,\"vector\":[0.5,-1e-7,null]},{\"vector"
     "\":null},{\"vector\":[ ]},{\"vector\":{}}]}}",
     GOOD},
    {"{\"either\":[]}", GOOD},
    {"{\"either\":null}", GOOD},
    {HIT("\"vector\" : [ [ 0.25 , null ] , [ ] ,\n[1,2,3e0] ] , "
         "\"flat\":[[0]]"),
     GOOD},
    {NAMED(
         "\"\":[0.5],\"0123456789 0123456789 0123456789\":[[1],[2,0.125]],"
         "\"\\u00e9\\n\xe6\xa4\x9c\\\"\" : { \"indices\" : [ 0 , 4294967295 ] ,"
         "\"values\":[0.5,-0.25]},\"n\":null,\"e\":[],\"s\":{}"),
     GOOD},
    {NAMED("\"a\":[1],\"a\":[2],\"\":[],\"\":null"), GOOD},
    {HIT("\"many\":[],\"short\":4294967295,\"order\":-1.5e-3},{\"many\":[7],"
         "\"order\":\"x\\u0041\"},{\"many\":null,\"order\":true,\"short\":null}"
         ",{"
         "\"order\":null},{\"order\":[[1]]},{\"order\":12"),
     GOOD},
    {"{\"either\":@1}", TYPE("either")},
    {"{\"either\":[{},@[]]}", TYPE("either")},
    {"{\"either\":[{}@}", GRAMMAR("either")},
    {HIT("\"vector\":@\"x\""), TYPE("vector")},
    {HIT("\"vector\":@1"), TYPE("vector")},
    {HIT("\"vector\":[@\"x\"]"), TYPE("vector")},
    {HIT("\"vector\":[ @{}]"), TYPE("vector")},
    {HIT("\"vector\":[1,@[2]]"), TYPE("vector")},
    {HIT("\"vector\":[[1],@2]"), TYPE("vector")},
    {HIT("\"vector\":[[1],@null]"), TYPE("vector")},
    {HIT("\"vector\":[[1,@[2]]]"), TYPE("vector")},
    {HIT("\"vector\":[[@[2]]]"), TYPE("vector")},
    {HIT("\"vector\":[[1],@]"), GRAMMAR("vector")},
    {HIT("\"vector\":[[1]@}"), GRAMMAR("vector")},
    {HIT("\"vector\":[ @,1]"), GRAMMAR("vector")},
    {HIT("\"vector\":[[0@1]]"), GRAMMAR("vector")},
    {HIT("\"vector\":[[1,@1e39]]"), RANGE("vector")},
    {HIT("\"flat\":@{}"), TYPE("flat")},
    {HIT("\"flat\":@null"), TYPE("flat")},
    {NAMED("\"a\":@1"), TYPE("vector")},
    {NAMED("\"a\":[1,@{}]"), TYPE("vector")},
    {NAMED("\"a\":[[1],@{}]"), TYPE("vector")},
    {NAMED("\"a\":[1] @:2"), GRAMMAR("vector")},
    {NAMED("\"a\"@,2"), GRAMMAR("vector")},
    {NAMED("\"a\":[1],@2"), GRAMMAR("vector")},
    {NAMED("\"a\\@x\":[1]"), GRAMMAR("vector")},
    {NAMED("\"a\xc3@\":[1]"), GRAMMAR("vector")},
    {NAMED("\"@\x01\":[1]"), GRAMMAR("vector")},
    {NAMED("\"a\":{\"indices\":[1,@-1]}"), TYPE("indices")},
    {NAMED("\"a\":{\"indices\":[@1.0]}"), TYPE("indices")},
    {NAMED("\"a\":{\"indices\":[@null]}"), TYPE("indices")},
    {NAMED("\"a\":{\"indices\":[@[1]]}"), TYPE("indices")},
    {NAMED("\"a\":{\"indices\":[1,@4294967296]}"), RANGE("indices")},
    {NAMED("\"a\":{\"indices\":[1,@18446744073709551616]}"), RANGE("indices")},
    {NAMED("\"a\":{\"indices\":[0@1]}"), GRAMMAR("indices")},
    {NAMED("\"a\":{\"indices\":[1,@]}"), GRAMMAR("indices")},
    {NAMED("\"a\":{\"indices\":[1@}}"), GRAMMAR("indices")},
    {NAMED("\"a\":{\"indices\":[1],@\"indices\":[1]}"), TWICE("indices")},
    {NAMED("\"a\":{\"values\":[@[1]]}"), TYPE("values")},
    {HIT("\"short\":@4294967296"), RANGE("short")},
    {HIT("\"short\":@1e3"), TYPE("short")},
    {HIT("\"many\":@1"), TYPE("many")},
    {"{\"either\":[{\"vector\":[@", END("vector")},
    {"{\"either\":[{\"vector\":[[1@", END("vector")},
    {"{\"either\":[{\"vector\":[[1] @", END("vector")},
    {"{\"either\":[{\"vector\":{\"a@", END("vector")},
    {"{\"either\":[{\"vector\":{\"a\":[1]@", END("vector")},
    {"{\"either\":[{\"vector\":{\"a\":{\"indices\":[1,2@", END("indices")},
    /* numbers */
    {"{\"x\":0@1}", GRAMMAR("")},
    {"{\"x\":-0@1}", GRAMMAR("")},
    {"{\"x\":1.@}", GRAMMAR("")},
    {"{\"time\":-0@1", GRAMMAR("time")},
    {"{\"status\":-1.0@.0             }", GRAMMAR("status")},
    {"{\"x\":@.5}", GRAMMAR("")},
    {"{\"x\":@+1}", GRAMMAR("")},
    {"{\"x\":-@}", GRAMMAR("")},
    {"{\"x\":-@a}", GRAMMAR("")},
    {"{\"x\":1e@}", GRAMMAR("")},
    {"{\"x\":1e+@,\"y\":1}", GRAMMAR("")},
    {"{\"x\":1.5e-@]}", GRAMMAR("")},
    {"{\"x\":1.5@.5}", GRAMMAR("")},
    {"{\"x\":1@-1}", GRAMMAR("")},
    {"{\"x\":1@_000}", GRAMMAR("")},
    {"{\"x\":0@x10                    }", GRAMMAR("")},
    {"{\"x\":1.@e5                    }", GRAMMAR("")},
    {"{\"x\":0@0000000000000000000000}", GRAMMAR("")},
    {"{\"time\":0@1}", GRAMMAR("time")},
    {"{\"time\":1.@}", GRAMMAR("time")},
    {"{\"time\":1e+@}", GRAMMAR("time")},
    {"{\"time\":-@ }", GRAMMAR("time")},
    {"{\"time\":@.5}", GRAMMAR("time")},
    {"{\"time\":@NaN}", GRAMMAR("time")},
    {"{\"time\":1e5@-}", GRAMMAR("time")},
    {POINT(FILLER "\"score\":0.5@.5"), GRAMMAR("score")},
    {POINT(FILLER "\"id\":0@0"), GRAMMAR("id")},
    {POINT("\"id\":-@"), GRAMMAR("id")},
    {VECTOR("0.5,0.25,0@1,0.5,0.125"), GRAMMAR("vector")},
    {VECTOR("0.5,0.25,-@,0.5,0.125"), GRAMMAR("vector")},
    {VECTOR("0.5,0.25,1@-,0.5,0.125"), GRAMMAR("vector")},
    {VECTOR("0.5,0.25,@,0.5,0.125"), GRAMMAR("vector")},
    {VECTOR("0.5,0.25 @0.5,0.125"), GRAMMAR("vector")},
    {VECTOR("0.5,0.25,nul@,0.125"), GRAMMAR("vector")},
    {VECTOR("0.5,@"), GRAMMAR("vector")},
    {VECTOR("@,0.5"), GRAMMAR("vector")},
    {VECTOR("0.5,@}"), GRAMMAR("vector")},
    {VECTOR("0.5@}"), GRAMMAR("vector")},
    {VECTOR("0.1234567,0.1234567,0.1234567,0.1234567,0.1234567,0.1234567,"
            "0.1234567,0.1234567,0.1234567,0.1234567,0.1234567,0.12345@.67,"
            "0.1234567,0.1234567,0.1234567"),
     GRAMMAR("vector")},
    /* structure */
    {"@[1]x", TYPE("")},
    {"{}@{}", GRAMMAR("")},
    {"{} @,", GRAMMAR("")},
    {"@\xef\xbb\xbf{}", GRAMMAR("")},
    {"{\"x\":1,@}", GRAMMAR("")},
    {"{\"x\":[1,@]}", GRAMMAR("")},
    {"{\"x\":[@,1]}", GRAMMAR("")},
    {"{@,\"x\":1}", GRAMMAR("")},
    {"{\"x\" @1}", GRAMMAR("")},
    {"{\"time\"@,1}", GRAMMAR("time")},
    {"{\"x\":@:1}", GRAMMAR("")},
    {"{\"x\":1 @\"y\":2}", GRAMMAR("")},
    {"{\"x\":[1@}}", GRAMMAR("")},
    {"{\"x\":{@]}", GRAMMAR("")},
    {"{\"x\":{}@]}", GRAMMAR("")},
    {"{@'x':1}", GRAMMAR("")},
    {"{@x:1}", GRAMMAR("")},
    {"{\"x\":@'y'}", GRAMMAR("")},
    {"{\"x\":@/**/1}", GRAMMAR("")},
    {"{\"x\":tru@x}", GRAMMAR("")},
    {"{\"x\":nul@\"      }", GRAMMAR("")},
    {"{\"x\":fals@,      }", GRAMMAR("")},
    {"{\"x\":n@an        }", GRAMMAR("")},
    {"{\"x\":@undefined}", GRAMMAR("")},
    {"{\"x\":@\v1}", GRAMMAR("")},
    {"{@\f}", GRAMMAR("")},
    {"{\"ok\":tru@E}", GRAMMAR("ok")},
    {"{\"result\":{\"points\":[{}@{}]}}", GRAMMAR("points")},
    {"{\"result\":{\"points\":[{},@]}}", GRAMMAR("points")},
    {"{\"status\":{\"x\":@}}", GRAMMAR("status")},
    {"{\"status\":[1 @2]}", GRAMMAR("status")},
    /* strings */
    {"{\"x\":\"@\t\"}", GRAMMAR("")},
    {"{\"x\":\"0123456789 0123456789 0123456789@\x1f\"}", GRAMMAR("")},
    {"{\"x\":\"\xc3\xa9@\n\xc3\xa9\xe6\xa4\x9c\"}", GRAMMAR("")},
    {"{\"x\":\"\xc3\xa9\"@\xc3\xa9\xe6\xa4\x9c\"}", GRAMMAR("")},
    {"{\"x@\n\":1}", GRAMMAR("")},
    {"{\"x\":\"\\@x\"}", GRAMMAR("")},
    {"{\"x\":\"\\@\xc3\xa9\"}", GRAMMAR("")},
    {"{\"x\":\"\\u12@g4\"}", GRAMMAR("")},
    {"{\"x\":\"\\u123@\"}", GRAMMAR("")},
    {"{\"x\":\"\\@U0041\"}", GRAMMAR("")},
    {"{\"x\":\"\\ud@c00\"}", GRAMMAR("")},
    {"{\"x\":\"\\uD@FFF\"}", GRAMMAR("")},
    {"{\"x\":\"\\ud83d@\"}", GRAMMAR("")},
    {"{\"x\":\"\\ud83d\\@n\"}", GRAMMAR("")},
    {"{\"x\":\"\\ud83d\\u@0041\"}", GRAMMAR("")},
    {"{\"x\":\"\\uD83D\\ud@83d\"}", GRAMMAR("")},
    {"{\"x\":\"@\x80\"}", GRAMMAR("")},
    {"{\"x\":\"@\xc0\xaf\"}", GRAMMAR("")},
    {"{\"x\":\"@\xc1\xbf\"}", GRAMMAR("")},
    {"{\"x\":\"\xc3@\"}", GRAMMAR("")},
    {"{\"x\":\"\xe0@\x9f\xbf\"}", GRAMMAR("")},
    {"{\"x\":\"\xe6\xa4@x  \"}", GRAMMAR("")},
    {"{\"x\":\"\xed@\xa0\x80\"}", GRAMMAR("")},
    {"{\"x\":\"\xf0@\x8f\xbf\xbf\"}", GRAMMAR("")},
    {"{\"x\":\"\xf0\x9f\x94@\"}", GRAMMAR("")},
    {"{\"x\":\"\xf4@\x90\x80\x80\"}", GRAMMAR("")},
    {"{\"x\":\"@\xf5\x80\x80\x80\"}", GRAMMAR("")},
    {"{\"x\":\"@\xff\"}", GRAMMAR("")},
    {"{\"\xc3\xa9@\xa9\":1}", GRAMMAR("")},
    {"{\"result\":{\"next\":\"a\\@a\"}}", GRAMMAR("next")},
    {"{\"result\":{\"next\":\"\xd0\xbf\xd0@\"}}", GRAMMAR("next")},
    /* types */
    {"@[]", TYPE("")},
    {"@\"x\"", TYPE("")},
    {"@1", TYPE("")},
    {"@null", TYPE("")},
    {"{\"result\":@[]}", TYPE("result")},
    {"{\"result\":@\"x\"}", TYPE("result")},
    {"{\"time\":@\"x\"}", TYPE("time")},
    {"{\"time\":@true}", TYPE("time")},
    {"{\"time\":@[1]}", TYPE("time")},
    {"{\"ok\":@null}", TYPE("ok")},
    {"{\"ok\":@1}", TYPE("ok")},
    {"{\"any\":@{}}", TYPE("any")},
    {"{\"result\":{\"points\":@{}}}", TYPE("points")},
    {"{\"result\":{\"points\":[@1]}}", TYPE("points")},
    {"{\"result\":{\"points\":[{},@null]}}", TYPE("points")},
    {"{\"result\":{\"next\":@1.0}}", TYPE("next")},
    {"{\"result\":{\"next\":@-1}}", TYPE("next")},
    {"{\"result\":{\"next\":@1e3}}", TYPE("next")},
    {"{\"result\":{\"next\":@true}}", TYPE("next")},
    {"{\"result\":{\"count\":@18446744073709551616}}", TYPE("count")},
    {"{\"result\":{\"count\":@\"1\"}}", TYPE("count")},
    {"{\"result\":{\"count\":@null}}", TYPE("count")},
    {POINT("\"id\":@null"), TYPE("id")},
    {POINT("\"name\":@1"), TYPE("name")},
    {POINT("\"meta\":@[]"), TYPE("meta")},
    {POINT("\"vector\":@\"x\""), TYPE("vector")},
    {POINT("\"vector\":@{}"), TYPE("vector")},
    {POINT("\"inner\":@null"), TYPE("inner")},
    {VECTOR("0.5,@\"x\""), TYPE("vector")},
    {VECTOR("0.5,@[0.5]"), TYPE("vector")},
    {VECTOR("@true"), TYPE("vector")},
    /* twice */
    {"{\"time\":1,@\"time\":1}", TWICE("time")},
    {"{\"usage\":1, @\"usage\":1}", TWICE("usage")},
    {"{\"time\":1,\"x\":1,\"x\":2,@\"\\u0074ime\":1}", TWICE("time")},
    {POINT("\"id\":1,\"inner\":{\"id\":2},@\"id\":3"), TWICE("id")},
    {POINT("\"id\":1},{\"id\":2,\"score\":0,@\"i\\u0064\":3"), TWICE("id")},
    /* range */
    {"{\"time\":@1e39}", RANGE("time")},
    {"{\"time\":@-1e400}", RANGE("time")},
    {POINT(FILLER "\"score\":@340282356779733661637539395458142568448.0"),
     RANGE("score")},
    {VECTOR("0.5,0.5,0.5,0.5,0.5,0.5,@1e39,0.5"), RANGE("vector")},
    /* the end */
    {"@", END("")},
    {" @", END("")},
    {"{@", END("")},
    {"{\"time@", END("")},
    {"{\"time\"@", END("time")},
    {"{\"time\":@", END("time")},
    {"{\"time\":1@", END("time")},
    {"{\"time\":1 @", END("")},
    {"{\"time\":@tr", TYPE("time")},
    {"{\"status\":{\"x\":[\"\\u00@", END("status")},
    {"{\"result\":{\"points\":[@", END("points")},
    {"{\"result\":{\"points\":[{\"vector\":[0.5,0.2@", END("vector")},
    {"{\"x\":1.@", END("")},
};

#define N_DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

/* The text without its mark; *at is where that stood, or the length. The
 * caller frees it. */
static inline char *
document_text(const struct document *document, size_t *len, size_t *at)
{
    const char *mark = strchr(document->text, '@');
    size_t total = strlen(document->text);
    char *text = malloc(total + 1);

    REQUIRE(text != NULL, "no memory");
    *at = mark == NULL ? total : (size_t)(mark - document->text);
    *len = total - (mark != NULL);
    memcpy(text, document->text, *at);
    if (mark != NULL)
        memcpy(text + *at, mark + 1, total - *at - 1);
    text[*len] = '\0';
    return text;
}

#endif

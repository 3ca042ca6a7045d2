// Finds the loop in a stream of text, in UTF-8 and in UTF-16 cut inside a surrogate pair, and in tool calls.
#include "check.h"

static void text(void) {
    uint64_t detector = 0;
    bool found = false;
    ok(ouro_detector_open(NULL, &detector));

    const char *healthy = "Let me think about what the parser does with an empty line. ";
    ok(ouro_detector_push(detector, 0, healthy, strlen(healthy), &found));
    CHECK(!found);

    const char *sentence = "I should read the file once more. ";
    for (int i = 0; i < 10 && !found; i++) {
        ok(ouro_detector_push(detector, 0, sentence, strlen(sentence), &found));
    }
    CHECK(found);
    OuroString loop = NULL;
    ok(ouro_detector_found(detector, &loop));
    CHECK(strstr(loop, "read the file") != NULL);
    ouro_string_free(loop);

    ok(ouro_detector_reset(detector, "next"));
    ok(ouro_detector_found(detector, &loop));
    CHECK(strcmp(loop, "null") == 0);
    ouro_string_free(loop);
    ok(ouro_detector_close(detector));
    fails(ouro_detector_push(detector, 0, sentence, strlen(sentence), &found), "closed");
}

static void utf16(void) {
    uint64_t detector = 0;
    bool found = false;
    ok(ouro_detector_open("{\"profile\": \"adaptive\"}", &detector));
    // "Round we go <U+1F504> and on. ", one code unit at a time: every pair is cut.
    uint16_t unit[64];
    size_t length = 0;
    for (const char *c = "Round and round we go, once again "; *c; c++) unit[length++] = (uint16_t)*c;
    unit[length++] = 0xD83D;
    unit[length++] = 0xDD04;
    unit[length++] = '.';
    unit[length++] = ' ';
    for (int i = 0; i < 20 && !found; i++) {
        for (size_t at = 0; at < length && !found; at++) {
            ok(ouro_detector_push_utf16(detector, 0, unit + at, 1, &found));
        }
    }
    CHECK(found);
    OuroString loop = NULL;
    ok(ouro_detector_found(detector, &loop));
    CHECK(strstr(loop, "\xF0\x9F\x94\x84") != NULL);
    ouro_string_free(loop);
    ok(ouro_detector_close(detector));
}

static void calls(void) {
    uint64_t detector = 0;
    bool found = false;
    ok(ouro_detector_open(NULL, &detector));
    const char *call = "{\"type\": \"tool_call\", \"name\": \"read_file\", \"args\": {\"path\": \"a.py\"}}";
    int calls = 0;
    for (; calls < 20 && !found; calls++) ok(ouro_detector_event(detector, call, &found));
    CHECK(found && calls > 1);
    fails(ouro_detector_event(detector, "{\"type\": \"tool_call\"}", &found), "invalid_input");
    ok(ouro_detector_close(detector));
}

// Without a place for the verdict nothing is taken in: what comes after is the first chunk.
static void no_place(void) {
    uint64_t detector = 0;
    bool found = false;
    const char *call = "{\"type\": \"tool_call\", \"name\": \"read_file\", \"args\": {\"path\": \"a.py\"}}";
    const uint16_t unit = 'a';
    ok(ouro_detector_open(NULL, &detector));
    for (int i = 0; i < 200; i++) {
        fails(ouro_detector_push(detector, 0, "once more ", 10, NULL), "invalid_input");
        fails(ouro_detector_push_utf16(detector, 1, &unit, 1, NULL), "invalid_input");
        fails(ouro_detector_event(detector, call, NULL), "invalid_input");
    }
    ok(ouro_detector_push(detector, 0, "Fine. ", 6, &found));
    CHECK(!found);
    ok(ouro_detector_close(detector));
}

static void misuse(void) {
    uint64_t detector = 0;
    bool found = false;
    fails(ouro_detector_open("{\"profile\": \"none\"}", &detector), "invalid_input");
    CHECK(detector == 0);
    fails(ouro_detector_open(NULL, NULL), "invalid_input");
    fails(ouro_detector_push(12345, 0, "a", 1, &found), "closed");
    ok(ouro_detector_open(NULL, &detector));
    fails(ouro_detector_push(detector, 7, "a", 1, &found), "invalid_input");
    fails(ouro_detector_push(detector, 0, "\xFF", 1, &found), "invalid_input");
    fails(ouro_detector_push(detector, 0, "a", 1, NULL), "invalid_input");
    fails(ouro_detector_push(detector, 0, NULL, 1, &found), "invalid_input");
    fails(ouro_detector_push_utf16(detector, 0, NULL, 1, &found), "invalid_input");
    ok(ouro_detector_push(detector, 0, NULL, 0, &found));
    fails(ouro_engine_close(detector), "closed");
    ok(ouro_detector_close(detector));
    fails(ouro_detector_close(detector), "closed");
    ouro_string_free(NULL);
}

int main(void) {
    CHECK(ouro_abi_version() == 1);
    text();
    utf16();
    calls();
    no_place();
    misuse();
    puts("detect: found the loops and nothing else");
    return 0;
}

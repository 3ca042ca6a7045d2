// Lets the engine learn a project offline, with a tool of this program: evolve PROJECT DATA
#include <pthread.h>

#include "check.h"

struct host {
    pthread_mutex_t lock;
    int calls;
    int records;
};

static void on_tool_call(void *context, uint64_t call_id, const char *project, const char *name,
                         const char *arguments) {
    struct host *host = context;
    CHECK(strcmp(name, "call_chain") == 0 && strlen(project) > 0 && arguments[0] == '{');
    pthread_mutex_lock(&host->lock);
    host->calls++;
    pthread_mutex_unlock(&host->lock);
    const char *result =
        "{\"summary\": \"1 caller\", \"content\": \"weather/__main__.py:9: forecast()\","
        " \"lines\": [{\"path\": \"weather/__main__.py\", \"line\": 9, \"text\": \"forecast()\"}]}";
    CHECK(ouro_tool_complete(call_id, result));
    CHECK(!ouro_tool_complete(call_id, result));  // Only the first counts.
}

static void on_tool_cancel(void *context, uint64_t call_id) {
    (void)context;
    (void)call_id;
}

static void on_event(void *context, const char *json) {
    struct host *host = context;
    CHECK(strstr(json, "\"schema_version\":1") != NULL);
    pthread_mutex_lock(&host->lock);
    if (strstr(json, "\"event\":\"record_saved\"") != NULL) host->records++;
    pthread_mutex_unlock(&host->lock);
}

static void on_log(void *context, int32_t level, const char *target, const char *message) {
    (void)context;
    CHECK(level >= 1 && level <= 5 && target != NULL && message != NULL);
}

static OuroString call(uint64_t engine, const char *request) {
    OuroString answer = NULL;
    ok(ouro_engine_call(engine, request, &answer));
    return answer;
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    struct host state = {.lock = PTHREAD_MUTEX_INITIALIZER};
    OuroHost host = {
        .context = &state,
        .on_tool_call = on_tool_call,
        .on_tool_cancel = on_tool_cancel,
        .on_event = on_event,
        .on_log = on_log,
    };
    uint64_t engine = 0;
    fails(ouro_engine_open("{}", &engine), "invalid_input");  // No host yet.
    fails(ouro_init(NULL), "invalid_input");
    OuroHost silent = host;
    silent.on_log = NULL;
    OuroString missing = ouro_init(&silent);
    CHECK(missing != NULL && strstr(missing, "on_log") != NULL);
    ouro_string_free(missing);
    ok(ouro_init(&host));
    fails(ouro_init(&host), "in_use");

    char request[2048];
    snprintf(request, sizeof request,
             "{\"schema_version\": 1, \"project_root\": \"%s\", \"data_dir\": \"%s\","
             " \"settings\": {\"evolution\": {\"enabled\": true, \"interval_ms\": 0}},"
             " \"tools\": [{\"name\": \"call_chain\", \"description\": \"Finds callers and callees\","
             " \"parameters\": {\"type\": \"object\", \"properties\": {\"symbol\": {\"type\": \"string\"}}}}]}",
             argv[1], argv[2]);
    fails(ouro_engine_open(request, NULL), "invalid_input");  // And holds nothing.
    ok(ouro_engine_open(request, &engine));
    fails(ouro_engine_open(request, &engine), "in_use");

    ouro_string_free(call(engine, "{\"op\": \"start\", \"iterations\": 6}"));
    OuroString reason = call(engine, "{\"op\": \"wait\", \"timeout_ms\": 120000}");
    // So small a project may be known before the last iteration.
    CHECK(strstr(reason, "iterations_done") != NULL || strstr(reason, "fully_covered") != NULL);
    ouro_string_free(reason);

    OuroString records = call(engine, "{\"op\": \"records\"}");
    CHECK(strstr(records, "weather/") != NULL);
    ouro_string_free(records);
    OuroString stats = call(engine, "{\"op\": \"stats\"}");
    CHECK(strstr(stats, "\"total_learning_records\":0,") == NULL);
    ouro_string_free(stats);

    const char *arguments = "{\"path\": \"a.py\"}";
    OuroString verdict = NULL;
    ok(ouro_guard_check_tool_call(engine, "read_file", arguments, &verdict));
    CHECK(verdict == NULL);
    ouro_string_free(call(engine, "{\"op\": \"guard\", \"guard\": \"record_tool_result\", \"tool\": \"read_file\","
                                  " \"arguments\": {\"path\": \"a.py\"},"
                                  " \"result\": {\"summary\": \"1 line\", \"content\": \"a\"}}"));
    ok(ouro_guard_check_tool_call(engine, "read_file", arguments, &verdict));
    CHECK(verdict != NULL && strstr(verdict, "\"already_run\"") != NULL);
    ouro_string_free(verdict);
    fails(ouro_guard_check_tool_call(engine, "read_file", "{", &verdict), "invalid_input");

    OuroString answer = NULL;
    fails(ouro_engine_call(engine, "{\"op\": \"fly\"}", &answer), "invalid_input");
    ok(ouro_engine_close(engine));
    fails(ouro_engine_call(engine, "{\"op\": \"stats\"}", &answer), "closed");
    CHECK(!ouro_tool_complete(999999, "{}"));
    char ignored[64];
    snprintf(ignored, sizeof ignored, "\"ignored_completions\":%d,", state.calls + 1);
    OuroString counts = NULL;
    ok(ouro_diagnostics(&counts));
    CHECK(strstr(counts, ignored) != NULL && strstr(counts, "\"waiting_calls\":0") != NULL);
    ouro_string_free(counts);
    ok(ouro_shutdown(2000));
    ok(ouro_shutdown(0));

    printf("evolve: %d calls of this program's tool, %d records\n", state.calls, state.records);
    CHECK(state.records >= 3 && state.calls > 0);
    return 0;
}

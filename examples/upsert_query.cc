/* SPDX-License-Identifier: Apache-2.0 */
/* Vecwire from C++17: owners for what C frees by hand, lambdas as callbacks.
 * Stores three rows, then asks for the one nearest to a vector.
 *
 *   upsert_query [http://127.0.0.1:8080]
 */
#include <array>
#include <cstdio>
#include <event2/event.h>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vecwire/vecwire.h>

namespace
{

struct Free {
    void operator()(event_base *base) const noexcept
    {
        event_base_free(base);
    }
    void operator()(vecwire_client *client) const noexcept
    {
        vecwire_client_free(client);
    }
};

using Base = std::unique_ptr<event_base, Free>;
using Client = std::unique_ptr<vecwire_client, Free>;

// What a callback is given. The library knows it by `arg`.
struct Call {
    std::function<void(const vecwire_reply *)> on_reply;
    std::exception_ptr &failure;
};

// The one callback that the library sees. No exception may pass through C.
extern "C" void
run_call(const vecwire_reply *reply, void *arg)
{
    std::unique_ptr<Call> call(static_cast<Call *>(arg));

    try {
        if (const vecwire_error *error = vecwire_reply_error(reply))
            throw std::runtime_error(error->detail);
        call->on_reply(reply);
    } catch (...) {
        call->failure = std::current_exception();
    }
}

// One client on a loop of its own.
class Database
{
  public:
    explicit Database(const char *url) : base_(vecwire_event_base_new())
    {
        vecwire_refusal why{};
        vecwire_options options;
        vecwire_client *client;

        vecwire_options_init(&options); // in C: VECWIRE_OPTIONS()
        options.url = url;
        options.refusal = &why;
        if (vecwire_client_new(&client, base_.get(), &options) != VECWIRE_OK)
            throw std::runtime_error(why.text);
        client_.reset(client);
    }

    // Submit a request by its verb: vecwire_query, vecwire_upsert, ...
    template <class Verb, class Request>
    void submit(Verb verb, Request request,
                std::function<void(const vecwire_reply *)> on_reply)
    {
        vecwire_refusal why{};
        std::unique_ptr<Call> call(new Call{std::move(on_reply), failure_});

        request.refusal = &why;
        if (verb(client_.get(), &request, run_call, call.get(), nullptr) !=
            VECWIRE_OK)
            throw std::runtime_error(why.text);
        // Never before this line, but from now on exactly once, run_call()
        // runs; it deletes the call.
        static_cast<void>(call.release());
    }

    // Run the loop until every call has ended.
    void drain(uint32_t timeout_ms)
    {
        const vecwire_err code =
            vecwire_client_drain(client_.get(), timeout_ms);

        if (failure_)
            std::rethrow_exception(std::exchange(failure_, nullptr));
        if (code != VECWIRE_OK)
            throw std::runtime_error(vecwire_strerror(code));
    }

  private:
    // In this order: members die in the reverse one, a client before its
    // base, and what its last callbacks write to after both.
    std::exception_ptr failure_;
    Base base_;
    Client client_;
};

constexpr std::size_t dim = 384;

void
print_hits(const vecwire_reply *reply)
{
    for (std::size_t i = 0;
         const vecwire_row *row = vecwire_reply_row(reply, i); i++)
        std::printf("%s %.4f\n", row->id.text, static_cast<double>(row->score));
}

void
run(const char *url)
{
    static const std::array<std::array<float, dim>, 3> rows{{
        {1.0F, 0.0F, 0.0F},
        {0.0F, 1.0F, 0.0F},
        {0.0F, 0.0F, 1.0F},
    }};
    static const std::array<float, dim> question{0.6F, 0.0F, 0.8F};
    const std::array<const char *, 3> ids{"red", "green", "blue"};
    Database db(url);

    vecwire_upsert_request upsert;
    vecwire_upsert_init(&upsert);
    upsert.matrix = rows[0].data();
    upsert.rows = rows.size();
    upsert.dim = dim;
    upsert.ids = ids.data();
    db.submit(vecwire_upsert, upsert, [&db](const vecwire_reply *reply) {
        std::printf("%llu rows stored\n", static_cast<unsigned long long>(
                                              vecwire_reply_affected(reply)));

        vecwire_query_request query;
        vecwire_query_init(&query);
        query.vector = question.data();
        query.dim = dim;
        query.top_k = 2;
        db.submit(vecwire_query, query, print_hits);
    });
    db.drain(5000);
}

} // namespace

int
main(int argc, char **argv)
{
    try {
        run(argc > 1 ? argv[1] : "http://127.0.0.1:8080");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}

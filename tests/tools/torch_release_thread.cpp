// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Whose threads torch_release_thread.c gives a longer timer slack, and that select() stays what it is. Threads
// are told by the name of the library that calls, so that of these two one has torch_npu's.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <thread>
#include <unistd.h>

using select_function = int(int, fd_set *, struct timeval *);

enum { MADE_LONGER = 500000, CHOSEN = 2000000 };

static void check(bool is_good, const char *what)
{
    if (!is_good) {
        std::fprintf(stderr, "%s\n", what);
        std::exit(1);
    }
}

// The slack of a new thread that has made this call, in ns; it began with `slack`, or with the system's for 0.
static long slack_after(select_function *function, long microseconds, int descriptors, long slack)
{
    long found = 0;
    std::thread thread([&] {
        if (slack != 0)
            prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack), 0UL, 0UL, 0UL);
        struct timeval timeout = {microseconds / 1000000, microseconds % 1000000};
        fd_set none;
        FD_ZERO(&none);
        check(function(descriptors, &none, &timeout) == 0, "a sleep ends with something else than its time");
        found = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
    });
    thread.join();
    return found;
}

static void check_what_is_found(select_function *function)
{
    int ends[2];
    check(pipe(ends) == 0 && write(ends[1], "", 1) == 1, "no pipe");
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(ends[0], &readable);
    struct timeval at_once = {0, 1};
    check(function(ends[0] + 1, &readable, &at_once) == 1 && FD_ISSET(ends[0], &readable),
          "what can be read is not found");
    FD_ZERO(&readable);
    FD_SET(ends[0], &readable);
    check(function(ends[0] + 1, &readable, nullptr) == 1, "without a timeout nothing is found");
    struct timeval wrong = {-1, 0};
    check(function(0, nullptr, &wrong) == -1, "a negative time is none");
    close(ends[0]);
    close(ends[1]);
}

static void check_that_it_sleeps(select_function *function)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    struct timeval timeout = {0, 20000};
    check(function(0, nullptr, &timeout) == 0, "a sleep fails");
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec;
    check(passed >= 20000000, "a sleep of 20 ms is shorter");
}

int main(int argc, char **argv)
{
    check(argc == 3, "usage: libtorch_npu.so libother.so");
    // A select() that waits for the loader's lock, which is held while these two are loaded, would never end.
    alarm(60);
    void *npu = dlopen(argv[1], RTLD_NOW), *other = dlopen(argv[2], RTLD_NOW);
    check(npu && other, "the libraries cannot be opened");
    auto of_npu = reinterpret_cast<select_function *>(dlsym(npu, "call_select"));
    auto of_other = reinterpret_cast<select_function *>(dlsym(other, "call_select"));
    check(of_npu && of_other, "the functions are not there");
    long usual = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
    check(usual > 0 && usual < MADE_LONGER, "this test begins with a longer slack than the system's");
    check(slack_after(of_npu, 1, 0, 0) == MADE_LONGER,
          "torch_npu's short sleep does not make the slack longer");
    check(slack_after(of_npu, 1, 0, CHOSEN) == CHOSEN, "a longer slack that a thread has chosen is gone");
    check(slack_after(of_npu, 1, 1, 0) == usual, "waiting for descriptors makes the slack longer");
    check(slack_after(of_npu, 50, 0, 0) == usual, "a longer sleep makes the slack longer");
    check(slack_after(of_other, 1, 0, 0) == usual, "another library's threads get a longer slack");
    select_function *const both[] = {of_npu, of_other};
    for (select_function *function : both) {
        check_what_is_found(function);
        check_that_it_sleeps(function);
    }
    return 0;
}

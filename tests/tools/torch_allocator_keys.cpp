// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// What torch_allocator_keys.c takes out of a set, against the real std::unordered_set. It is told from others
// by the name of the library that asks, so this is also built as a library of that name, beside one with
// PyTorch's.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <unordered_set>

using string_set = std::unordered_set<std::string>;
using keys_function = void *();

static void check(bool is_good, const char *what)
{
    if (!is_good) {
        std::fprintf(stderr, "%s\n", what);
        std::exit(1);
    }
}

// Every element is found by the set itself, and no other.
static void expect(const string_set &set, const string_set &expected, const char *what)
{
    check(set.size() == expected.size(), what);
    for (const std::string &text : expected)
        check(set.count(text) == 1, what);
    size_t count = 0;
    for (const std::string &text : set) {
        check(expected.count(text) == 1, what);
        count++;
    }
    check(count == set.size(), what);
}

int main(int argc, char **argv)
{
    check(argc == 4, "usage: libc10.so libtorch_npu.so libother.so");
    static const char *const keys[] = {"pinned_reserve_segment_size_mb", "per_process_memory_fraction"};
    void *real = dlopen(argv[1], RTLD_NOW), *npu = dlopen(argv[2], RTLD_NOW),
         *other = dlopen(argv[3], RTLD_NOW);
    check(real && npu && other, "the libraries cannot be opened");
    auto *set = static_cast<string_set *>(dlsym(real, "keys_of_test"));
    auto ask_npu = reinterpret_cast<keys_function *>(dlsym(npu, "ask_for_keys"));
    auto ask_other = reinterpret_cast<keys_function *>(dlsym(other, "ask_for_keys"));
    check(set && ask_npu && ask_other, "the functions are not there");
    // Sets of many sizes, with none, one or both of the keys, put in early or late.
    for (int size = 0; size < 300; size++) {
        for (int which = 0; which < 8; which++) {
            string_set rest, all;
            set->clear();
            set->rehash(0);
            for (int i = 0; i <= size; i++) {
                for (int k = 0; k < 2; k++) {
                    if ((which & 1 << k) && i == ((which & 4) ? size : size / 3)) {
                        set->insert(keys[k]);
                        all.insert(keys[k]);
                    }
                }
                if (i < size) {
                    std::string text =
                        (i % 3 ? "k" : "a_name_that_is_longer_than_what_fits_") + std::to_string(i);
                    set->insert(text);
                    rest.insert(text);
                }
            }
            all.insert(rest.begin(), rest.end());
            check(ask_other() == set, "another library gets another set");
            expect(*set, all, "another library's question changes the set");
            check(ask_npu() == set, "torch_npu gets another set");
            expect(*set, rest, "torch_npu's question leaves something else than the other keys");
            for (const char *key : keys)
                check(set->insert(key).second, "a key cannot be put in again");
            rest.insert(keys, keys + 2);
            expect(*set, rest, "what is put in again is not found, or hides others");
            for (int i = 0; i < 50; i++)
                set->insert("more" + std::to_string(i)); // the buckets are made anew
            check(set->size() == rest.size() + 50, "the set is broken");
        }
    }
    return 0;
}

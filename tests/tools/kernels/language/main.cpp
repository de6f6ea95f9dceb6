// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Calls what a library of ASC has.
int run_forms();

int main()
{
    return run_forms();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Finds kernels by the word that their qualifier has become, and rewrites launches.
 *
 * `<<<` is `<<` and `<` to a C++ compiler, and stands nowhere else but in strings, and where operator<< has template
 * arguments. Everything is inserted within lines, so that messages and debuggers have the program's own.
 */
#include "tools/ascendc/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascendc/host.h"

/* A scope that is open: of a namespace with this name, or any other one. */
struct scope {
    char name[64];
    bool is_named;
};

enum { SCOPES_MAX = 256 };

static void copy_token(const struct tokens *tokens, size_t at, char *text, size_t bytes)
{
    snprintf(text, bytes, "%.*s", (int)tokens->token[at].length, tokens->text + tokens->token[at].at);
}

static bool is_mark(const struct tokens *tokens, size_t at, char mark)
{
    return tokens_are(tokens, at, mark, 1);
}

static bool is_qualifier(const struct tokens *tokens, size_t at)
{
    return token_is(tokens, at, "__belay_global__") || token_is(tokens, at, "__belay_vector__") ||
           token_is(tokens, at, "__belay_cube__") || token_is(tokens, at, "__belay_mix__");
}

/* The kind that the qualifiers between two tokens say. */
static unsigned kind_between(const struct tokens *tokens, size_t begin, size_t end)
{
    unsigned kind = BELAY_KERNEL_AUTO;
    for (size_t at = begin; at < end; at++) {
        if (token_is(tokens, at, "__belay_vector__"))
            kind = BELAY_KERNEL_VECTOR;
        else if (token_is(tokens, at, "__belay_cube__"))
            kind = BELAY_KERNEL_CUBE;
        else if (token_is(tokens, at, "__belay_mix__")) /* ( cube cores , vector cores ) */
            kind = token_is(tokens, at + 2, "0")   ? BELAY_KERNEL_VECTOR
                   : token_is(tokens, at + 4, "2") ? BELAY_KERNEL_MIXED_1_2
                   : token_is(tokens, at + 4, "1") ? BELAY_KERNEL_MIXED_1_1
                                                   : BELAY_KERNEL_CUBE;
    }
    return kind;
}

/* Where the statement of the token begins. */
static size_t begin_of_statement(const struct tokens *tokens, size_t at)
{
    while (at > 0 && !is_mark(tokens, at - 1, ';') && !is_mark(tokens, at - 1, '{') &&
           !is_mark(tokens, at - 1, '}'))
        at--;
    return at;
}

/* The function's name: the word in front of the first parenthesis that belongs to no qualifier or attribute. */
static bool find_name(const struct tokens *tokens, size_t at, size_t *name)
{
    for (at++; at + 1 < tokens->count; at++) {
        if (is_mark(tokens, at, ';') || is_mark(tokens, at, '{') || is_mark(tokens, at, '}'))
            return false;
        if (!is_mark(tokens, at + 1, '('))
            continue;
        if (tokens->token[at].kind != TOKEN_WORD || token_is(tokens, at, "__belay_mix__") ||
            token_is(tokens, at, "__attribute__") || token_is(tokens, at, "alignas")) {
            at = token_closing(tokens, at + 1);
            continue;
        }
        *name = at;
        return true;
    }
    return false;
}

static void add_kernel(struct source *source, size_t at, const struct scope *scope, size_t scopes)
{
    const struct tokens *tokens = &source->tokens;
    size_t name;
    if (!find_name(tokens, at, &name))
        return;
    source->kernel = memory_grow(source->kernel, (source->kernel_count + 1) * sizeof *source->kernel);
    struct source_kernel *kernel = &source->kernel[source->kernel_count++];
    *kernel = (struct source_kernel){.kind = BELAY_KERNEL_AUTO};
    const size_t begin = begin_of_statement(tokens, at), close = token_closing(tokens, name + 1);
    copy_token(tokens, name, kernel->name, sizeof kernel->name);
    kernel->kind = kind_between(tokens, begin, name);
    kernel->is_template = token_is(tokens, begin, "template");
    kernel->is_defined = is_mark(tokens, close + 1, '{');
    kernel->first = name + 2;
    kernel->last = close - 1;
    size_t length = 0;
    for (size_t i = 0; i < scopes; i++)
        if (scope[i].is_named && length < sizeof kernel->scope)
            length += (size_t)snprintf(kernel->scope + length, sizeof kernel->scope - length, "::%s",
                                       scope[i].name);
}

/* The scope that the brace opens. */
static struct scope scope_of(const struct tokens *tokens, size_t brace)
{
    struct scope scope = {.is_named = false};
    if (brace >= 2 && tokens->token[brace - 1].kind == TOKEN_WORD &&
        token_is(tokens, brace - 2, "namespace")) {
        copy_token(tokens, brace - 1, scope.name, sizeof scope.name);
        scope.is_named = true;
    }
    return scope;
}

void source_read(struct source *source, const char *text)
{
    static struct scope scope[SCOPES_MAX];
    size_t scopes = 0;
    *source = (struct source){.kernel = NULL};
    tokens_read(&source->tokens, text);
    for (size_t at = 0; at < source->tokens.count; at++) {
        if (is_mark(&source->tokens, at, '{') && scopes < SCOPES_MAX)
            scope[scopes++] = scope_of(&source->tokens, at);
        else if (is_mark(&source->tokens, at, '}') && scopes > 0)
            scopes--;
        else if (token_is(&source->tokens, at, "__belay_global__"))
            add_kernel(source, at, scope, scopes);
    }
}

void source_free(struct source *source)
{
    tokens_free(&source->tokens);
    free(source->kernel);
    *source = (struct source){.kernel = NULL};
}

/* The line of the program that the place is on, as the preprocessor's lines say. */
static void tell_place(const struct source *source, size_t at)
{
    const char *text = source->tokens.text, *line = text;
    char file[256] = "the source";
    long number = 0;
    while (line != NULL && line <= text + at) {
        long named;
        char read[256];
        if (sscanf(line, "# %ld \"%255[^\"]\"", &named, read) == 2) {
            number = named - 1;
            snprintf(file, sizeof file, "%s", read);
        } else {
            number++;
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    fprintf(stderr, "%s:%ld: error: ", file, number);
}

/* Where the name begins of what is launched by the `<<<` at a token; the same token where none stands there. */
static size_t begin_of_name(const struct tokens *tokens, size_t launch)
{
    size_t at = launch;
    for (;;) {
        size_t part = at;
        if (part > 0 && is_mark(tokens, part - 1, '>'))
            part = token_opening_angle(tokens, part - 1);
        if (part > 0 && is_mark(tokens, part - 1, ')') && part == launch)
            return token_opening(tokens, part - 1);
        if (part == 0 || tokens->token[part - 1].kind != TOKEN_WORD || token_is(tokens, part - 1, "return"))
            return at;
        at = part - 1;
        if (at > 0 && token_is(tokens, at - 1, "template"))
            at--;
        if (at < 2 || !tokens_are(tokens, at - 2, ':', 2))
            return at;
        at -= 2;
        /* A global name: nothing that could be qualified stands before the colons. */
        if (at == 0 || (tokens->token[at - 1].kind != TOKEN_WORD && !is_mark(tokens, at - 1, '>')) ||
            token_is(tokens, at - 1, "return"))
            return at;
    }
}

/* The `>>>` that ends the configuration behind the `<<<`. */
static size_t end_of_configuration(const struct tokens *tokens, size_t launch)
{
    size_t at = launch + 3;
    while (at < tokens->count && !(tokens_are(tokens, at, '>', 3) && is_mark(tokens, at + 3, '('))) {
        const bool opens = is_mark(tokens, at, '(') || is_mark(tokens, at, '[') || is_mark(tokens, at, '{');
        if (is_mark(tokens, at, ';'))
            return tokens->count;
        at = opens ? token_closing(tokens, at) + 1 : at + 1;
    }
    return at;
}

static unsigned kind_of(const struct source *source, size_t name_begin, size_t name_end)
{
    const struct tokens *tokens = &source->tokens;
    size_t at = name_end;
    if (at > name_begin + 1 && is_mark(tokens, at - 1, '>'))
        at = token_opening_angle(tokens, at - 1);
    for (size_t i = source->kernel_count; at > name_begin && i-- > 0;)
        if (token_is(tokens, at - 1, source->kernel[i].name))
            return source->kernel[i].kind;
    return BELAY_KERNEL_AUTO;
}

/* As a string of C++, with the spaces that the name has in its line. */
static void add_quoted(struct text *out, const char *text, size_t length)
{
    text_add(out, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            text_add(out, "\\", 1);
        if (!isspace((unsigned char)text[i]))
            text_add(out, &text[i], 1);
        else if (i + 1 < length && !isspace((unsigned char)text[i + 1]))
            text_add(out, " ", 1);
    }
    text_add(out, "\"", 1);
}

static const char *at_token(const struct tokens *tokens, size_t at)
{
    return tokens->text + tokens->token[at].at;
}

static bool rewrite_launch(const struct source *source, size_t launch, size_t *copied, size_t *next,
                           struct text *out)
{
    const struct tokens *tokens = &source->tokens;
    const size_t name = begin_of_name(tokens, launch), end = end_of_configuration(tokens, launch);
    if (name == launch || end >= tokens->count || tokens->token[name].at < *copied) {
        tell_place(source, tokens->token[launch].at);
        fputs(name == launch ? "the name of a kernel is expected before <<<\n"
                             : "kernel<<<blocks, l2, stream>>>(arguments) is expected\n",
              stderr);
        return false;
    }
    const char *callee = at_token(tokens, name);
    const size_t length = (size_t)(at_token(tokens, launch) - callee);
    const unsigned kind = kind_of(source, name, launch);
    text_add(out, tokens->text + *copied, tokens->token[name].at - *copied);
    text_add_string(out, "::belay_kernel::launch(");
    add_quoted(out, callee, length);
    text_print(out, ", %u, [=](auto... belay_of_launch) { (", kind);
    text_add(out, callee, length);
    text_add_string(out, ")(belay_of_launch...); }, ");
    const size_t configuration = tokens->token[launch + 2].at + 1;
    text_add(out, tokens->text + configuration, tokens->token[end].at - configuration);
    text_add_string(out, ")");
    *copied = tokens->token[end + 2].at + 1;
    *next = end + 3;
    return true;
}

/* Leaves out a qualifier, with what it has in parentheses. */
static size_t skip_qualifier(const struct tokens *tokens, size_t at)
{
    return token_is(tokens, at, "__belay_mix__") && is_mark(tokens, at + 1, '(')
               ? token_closing(tokens, at + 1) + 1
               : at + 1;
}

/* A parameter of a kernel: tokens without those of a default value. */
struct parameter {
    size_t first, last;
    bool is_pointer;
};

/* The parameter that begins at a token; *next is where the next one begins. */
static struct parameter read_parameter(const struct tokens *tokens, size_t at, size_t end, size_t *next)
{
    struct parameter parameter = {.first = at, .last = at};
    bool is_default = false;
    for (; at <= end && !is_mark(tokens, at, ','); at++) {
        const size_t begin = at;
        if (is_mark(tokens, at, '<'))
            at = token_closing_angle(tokens, at);
        else if (is_mark(tokens, at, '(') || is_mark(tokens, at, '[') || is_mark(tokens, at, '{'))
            at = token_closing(tokens, at);
        is_default = is_default || is_mark(tokens, begin, '=');
        parameter.is_pointer = parameter.is_pointer || (!is_default && is_mark(tokens, begin, '*'));
        if (!is_default)
            parameter.last = at;
    }
    *next = at + 1;
    return parameter;
}

/* The parameter at *at, which is the next one's then; false behind the last one, and for (void). */
static bool next_parameter(const struct source *source, const struct source_kernel *kernel, size_t *at,
                           struct parameter *parameter)
{
    if (*at > kernel->last)
        return false;
    *parameter = read_parameter(&source->tokens, *at, kernel->last, at);
    return parameter->is_pointer || !token_is(&source->tokens, parameter->first, "void");
}

/* The type of a parameter: its tokens but the last, which is its name, if it has one. */
static void add_type(const struct tokens *tokens, const struct parameter *parameter, struct text *out)
{
    const bool is_named =
        parameter->last > parameter->first && tokens->token[parameter->last].kind == TOKEN_WORD &&
        !token_is(tokens, parameter->last, "int") && !token_is(tokens, parameter->last, "const");
    for (size_t at = parameter->first; at < parameter->last + !is_named; at++) {
        text_add(out, at_token(tokens, at), tokens->token[at].length);
        text_add(out, " ", 1);
    }
}

/* "uint32_t aclrtlaunch_NAME(uint32_t blockDim, void *stream, void *a0, float a1)" */
static void add_declaration(const struct source *source, const struct source_kernel *kernel, struct text *out)
{
    text_print(out, "uint32_t aclrtlaunch_%s(uint32_t blockDim, void *stream", kernel->name);
    struct parameter parameter;
    unsigned number = 0;
    for (size_t at = kernel->first; next_parameter(source, kernel, &at, &parameter);) {
        text_add_string(out, ", ");
        if (parameter.is_pointer)
            text_add_string(out, "void *");
        else
            add_type(&source->tokens, &parameter, out);
        text_print(out, "a%u", number++);
    }
    text_add_string(out, ")");
}

static void add_launcher(const struct source *source, const struct source_kernel *kernel, struct text *out)
{
    text_add_string(out, "\nextern \"C\" __attribute__((visibility(\"default\"), weak)) ");
    add_declaration(source, kernel, out);
    text_print(out,
               " { return (uint32_t)::belay_kernel::launch(\"%s\", %u, [](auto... belay_of_launch) { %s::%s("
               "belay_of_launch...); }, blockDim, nullptr, stream)(",
               kernel->name, kernel->kind, kernel->scope, kernel->name);
    struct parameter parameter;
    unsigned number = 0;
    for (size_t at = kernel->first; next_parameter(source, kernel, &at, &parameter);) {
        text_add_string(out, number > 0 ? ", " : "");
        if (parameter.is_pointer) {
            text_add_string(out, "(");
            add_type(&source->tokens, &parameter, out);
            text_add_string(out, ")");
        }
        text_print(out, "a%u", number++);
    }
    text_add_string(out, "); }\n");
}

bool source_rewrite(const struct source *source, bool has_launchers, struct text *out)
{
    const struct tokens *tokens = &source->tokens;
    size_t copied = 0;
    for (size_t at = 0; at < tokens->count;) {
        if (tokens_are(tokens, at, '<', 3) && !(at > 0 && token_is(tokens, at - 1, "operator"))) {
            if (!rewrite_launch(source, at, &copied, &at, out))
                return false;
        } else if (is_qualifier(tokens, at)) {
            text_add(out, tokens->text + copied, tokens->token[at].at - copied);
            at = skip_qualifier(tokens, at);
            copied = tokens->token[at - 1].at + tokens->token[at - 1].length;
        } else {
            at++;
        }
    }
    text_add_string(out, tokens->text + copied);
    for (size_t i = 0; has_launchers && i < source->kernel_count; i++)
        if (source->kernel[i].is_defined && !source->kernel[i].is_template)
            add_launcher(source, &source->kernel[i], out);
    return true;
}

void source_write_header(const struct source *source, const struct source_kernel *kernel, struct text *out)
{
    text_print(out,
               "/* Written by bisheng: queues the kernel %s to a stream. */\n"
               "#ifndef HEADER_ACLRTLAUNCH_%s_H\n"
               "#define HEADER_ACLRTLAUNCH_%s_H\n"
               "#include <stdint.h>\n"
               "#include \"acl/acl_base.h\"\n"
               "#ifndef ACLRT_LAUNCH_KERNEL\n"
               "#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel\n"
               "#endif\n"
               "#ifdef __cplusplus\n"
               "extern \"C\"\n"
               "#endif\n",
               kernel->name, kernel->name, kernel->name);
    add_declaration(source, kernel, out);
    text_add_string(out, ";\n#endif\n");
}

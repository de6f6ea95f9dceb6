/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A table's columns are the figures that its rows have, in the order in which they first appear.
 */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { COLUMNS_MAX = 16 };

struct columns {
    int count;
    const char *name[COLUMNS_MAX];
};

static bool is_same_table(const struct row *left, const struct row *right)
{
    return strcmp(left->section, right->section) == 0 && left->threads == right->threads;
}

static struct columns columns_of(const struct rows *rows, const struct row *table)
{
    struct columns columns = {0};
    for (int i = 0; i < rows->count; i++)
        for (int k = 0; is_same_table(&rows->row[i], table) && k < rows->row[i].figures; k++) {
            int known = 0;
            while (known < columns.count && strcmp(columns.name[known], rows->row[i].figure[k].name) != 0)
                known++;
            if (known == columns.count && columns.count < COLUMNS_MAX)
                columns.name[columns.count++] = rows->row[i].figure[k].name;
        }
    return columns;
}

/* Three significant digits, without an exponent. */
static void print_number(FILE *out, double value)
{
    int digits = value == 0 ? 0 : (int)floor(log10(fabs(value)));
    fprintf(out, "%.*f", digits >= 2 ? 0 : digits >= 0 ? 2 - digits : 3, value);
}

/* Ratios show their spread; times and rates are told by their medians. */
static bool has_spread(const char *figure)
{
    return !strstr(figure, "ns") && !strstr(figure, "GB/s") && !strstr(figure, "cycles");
}

static void print_figure(FILE *out, const struct figure *figure)
{
    if (!figure) {
        fputs(" - |", out);
        return;
    }
    fputc(' ', out);
    print_number(out, figure->value.median);
    if (has_spread(figure->name) && figure->value.lower != figure->value.upper) {
        fputs(" (", out);
        print_number(out, figure->value.lower);
        fputs("–", out);
        print_number(out, figure->value.upper);
        fputc(')', out);
    }
    fputs(" |", out);
}

/* What a column of ratios divides by what. */
static const char *title_of(const char *figure)
{
    if (strcmp(figure, "roofline") == 0)
        return "share of roofline";
    if (strcmp(figure, "torch") == 0)
        return "torch / Belay";
    if (strcmp(figure, "onednn") == 0)
        return "oneDNN / Belay";
    if (strcmp(figure, "peer") == 0)
        return "faster peer / Belay";
    if (strcmp(figure, "normal") == 0)
        return "speed against normal";
    if (strcmp(figure, "before") == 0)
        return "before / after";
    if (strcmp(figure, "contiguous") == 0)
        return "speed against contiguous";
    if (strcmp(figure, "reckoned") == 0)
        return "reckoned time / this";
    if (strcmp(figure, "200-ns") == 0)
        return "200 ns / this";
    return figure;
}

static void print_table(const struct rows *rows, const struct row *table, FILE *out)
{
    struct columns columns = columns_of(rows, table);
    fprintf(out, "\n### %s, %d thread%s\n\n| operator | dtype | layout | data | elements |", table->section,
            table->threads, table->threads == 1 ? "" : "s");
    for (int k = 0; k < columns.count; k++)
        fprintf(out, " %s |", title_of(columns.name[k]));
    fputs("\n|---|---|---|---|---:|", out);
    for (int k = 0; k < columns.count; k++)
        fputs("---:|", out);
    fputc('\n', out);
    for (int i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        char count[24] = "-";
        if (!is_same_table(row, table))
            continue;
        if (row->count > 0)
            count_text(row->count, count);
        fprintf(out, "| %s | %s | %s | %s | %s |", row->operation, row->dtype, row->layout, row->data, count);
        for (int k = 0; k < columns.count; k++)
            print_figure(out, row_figure(row, columns.name[k]));
        fputc('\n', out);
    }
}

void report_tables(const struct report *report, FILE *out)
{
    const struct machine *machine = &report->machine;
    fprintf(out, "| | |\n|---|---|\n| date | %s |\n| command | `%s` |\n", machine->date, report->command);
    fprintf(out, "| processor | %s, %.2f GHz |\n| topology | %s |\n", machine->processor, machine->clock_ghz,
            machine->topology);
    fprintf(out, "| instruction sets | %s |\n| last cache | %ld MiB |\n", machine->levels,
            machine->last_cache_bytes >> 20);
    fprintf(out, "| pages | %ld bytes; transparent huge pages: %s |\n| system | %s |\n", machine->page_bytes,
            machine->huge_pages, machine->kernel);
    fprintf(out, "| load at the start | %.1f |\n", machine->load);
    fprintf(out, "| duration | %.0f s |\n", report->use.seconds);
    if (report->use.others >= 0)
        fprintf(out, "| processors' time that other programs had meanwhile | %.0f %% |\n",
                report->use.others * 100);
    fprintf(out, "| Belay | %s |\n", report->version);
    for (int i = 0; i < report->peers.count; i++)
        fprintf(out, "| %s | %s |\n", report->peers.peer[i]->name, report->peers.peer[i]->version);
    if (report->peers.count == 0)
        fprintf(out, "| peers | - |\n");
    const struct rows *rows = report->rows;
    for (int i = 0; i < rows->count; i++) {
        int first = 0;
        while (!is_same_table(&rows->row[first], &rows->row[i]))
            first++;
        if (first == i)
            print_table(rows, &rows->row[i], out);
    }
}

static void json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text >= 0x20)
            fputc(*text, out);
    }
    fputc('"', out);
}

static void json_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    json_text(out, text);
    fputs(", ", out);
}

void report_json(const struct report *report, FILE *out)
{
    const struct machine *machine = &report->machine;
    fputs("{", out);
    json_field(out, "date", machine->date);
    json_field(out, "command", report->command);
    json_field(out, "belay", report->version);
    json_field(out, "processor", machine->processor);
    json_field(out, "topology", machine->topology);
    json_field(out, "instruction_sets", machine->levels);
    json_field(out, "huge_pages", machine->huge_pages);
    json_field(out, "system", machine->kernel);
    fprintf(out,
            "\"load\": %.2f, \"seconds\": %.0f, \"others\": %.3f, \"clock_ghz\": %.3f, \"page_bytes\": %ld, "
            "\"last_cache_bytes\": %ld,\n \"peers\": {",
            machine->load, report->use.seconds, report->use.others, machine->clock_ghz, machine->page_bytes,
            machine->last_cache_bytes);
    for (int i = 0; i < report->peers.count; i++) {
        fputs(i ? ", " : "", out);
        json_text(out, report->peers.peer[i]->name);
        fputs(": ", out);
        json_text(out, report->peers.peer[i]->version);
    }
    fputs("},\n \"rows\": [", out);
    for (int i = 0; i < report->rows->count; i++) {
        const struct row *row = &report->rows->row[i];
        fputs(i ? ",\n  {" : "\n  {", out);
        json_field(out, "section", row->section);
        json_field(out, "operator", row->operation);
        json_field(out, "dtype", row->dtype);
        json_field(out, "layout", row->layout);
        json_field(out, "data", row->data);
        fprintf(out, "\"elements\": %" PRId64 ", \"threads\": %d, \"figures\": {", row->count, row->threads);
        for (int k = 0; k < row->figures; k++) {
            const struct quartiles *value = &row->figure[k].value;
            fputs(k ? ", " : "", out);
            json_text(out, row->figure[k].name);
            fprintf(out, ": [%.6g, %.6g, %.6g]", value->lower, value->median, value->upper);
        }
        fputs("}}", out);
    }
    fputs("\n]}\n", out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * npu-smi: which devices there are, how much of their memory is in use, and which processes have them, in the
 * tables and lines that people and monitors know. What a machine without an NPU has not (buses, sensors) is
 * NA, or 0 where those who read the table expect a number.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "runtime/devices/device_load.h"
#include "runtime/devices/device_use.h"
#include "base/settings_peek.h"

enum { STATUS_REFUSED = 1, STATUS_USAGE = 2 };

static const char usage[] =
    "npu-smi " BELAY_VERSION ", of Belay: the devices of a machine without an NPU.\n"
    "\n"
    "Usage: npu-smi info                             all devices and the processes that have them\n"
    "       npu-smi info -l                          the devices, one after the other\n"
    "       npu-smi info -m                          their numbers and names\n"
    "       npu-smi info -t TYPE -i DEVICE [-c 0]    board, usages, memory, common, health, temp, power or "
    "proc-mem\n"
    "       npu-smi -v                               the version\n"
    "       npu-smi -h                               this text\n"
    "\n"
    "BELAY_DEVICES, BELAY_SOC and BELAY_MEMORY say which devices there are. Processes are those of the user; "
    "root\n"
    "sees all. AICore is the processors' time of those who have the device, of all that the machine has.\n";

struct request {
    const char *type; /* NULL: the table */
    bool lists, maps;
    int device, chip; /* -1: not given */
};

static struct device_user users[DEVICE_USERS_MAX];
static size_t user_count;

static const struct settings *settings;

/* "910B3" of Ascend910B3; what is behind the underscore, if there is one, is a name of its own. */
static const char *short_name(void)
{
    static const char type[] = "Ascend";
    const char *name = settings->soc_name;
    return name + (strncmp(name, type, sizeof type - 1) == 0 ? sizeof type - 1 : 0);
}

static void line(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void line(const char *name, const char *format, ...)
{
    va_list arguments;
    printf("\t%-30s : ", name);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* A name that a process gave itself must neither command a terminal nor look like a border. */
static void plain(char *name)
{
    for (; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == '|' || (unsigned char)*name >= 127)
            *name = '?';
}

static const char device_border[] =
    "+---------------------------+---------------+----------------------------------------------------+\n";
static const char device_double[] =
    "+===========================+===============+====================================================+\n";

static int print_table(void)
{
    device_users_measure(users, user_count);
    printf("+------------------------------------------------------------------------------------------------"
           "+\n");
    printf("| npu-smi %-24.24s Version: %-52.52s |\n", BELAY_VERSION, BELAY_VERSION " (Belay)");
    fputs(device_border, stdout);
    printf("| NPU   Name                | Health        | Power(W)    Temp(C)           "
           "Hugepages-Usage(page)|\n");
    printf("| Chip                      | Bus-Id        | AICore(%%)   Memory-Usage(MB)  HBM-Usage(MB)       "
           " |\n");
    fputs(device_double, stdout);
    for (int32_t i = 0; i < settings_all_device_count(); i++) {
        struct device_load load;
        device_load_add_up(users, user_count, i, &load);
        char memory[48];
        snprintf(memory, sizeof memory, "%" PRIu64 " / %" PRIu64, device_load_mib(load.live_bytes),
                 load.memory_bytes >> 20);
        printf("| %-5d %-19.19s | OK            | 0.0         0                 0    / 0             |\n",
               (int)i, short_name());
        printf("| 0                         | NA            | %-11" PRIu32 " 0    / 0          %-21s|\n",
               load.busy_percent, memory);
        fputs(device_double, stdout);
    }
    fputs(
        "+---------------------------+---------------+----------------------------------------------------+\n"
        "| NPU     Chip              | Process id    | Process name             | Process memory(MB)      "
        "|\n",
        stdout);
    fputs(device_double, stdout);
    for (int32_t i = 0; i < settings_all_device_count(); i++) {
        bool is_used = false;
        for (size_t j = 0; j < user_count; j++) {
            if ((users[j].devices >> i & 1) == 0)
                continue;
            is_used = true;
            printf("| %-7d 0                 | %-13d | %-24.24s | %-23" PRIu64 " |\n", (int)i,
                   (int)users[j].process, users[j].name, device_load_mib(users[j].live_bytes[i]));
        }
        if (!is_used)
            printf("| No running processes found in NPU %-60d |\n", (int)i);
        fputs(device_double, stdout);
    }
    return 0;
}

static int print_list(void)
{
    line("Total Count", "%d", (int)settings_all_device_count());
    for (int32_t i = 0; i < settings_all_device_count(); i++) {
        putchar('\n');
        line("NPU ID", "%d", (int)i);
        line("Product Name", "Belay");
        line("Serial Number", "NA");
        line("Board ID", "NA");
        line("Chip Count", "1");
    }
    return 0;
}

static int print_map(void)
{
    printf("\t%-30s %-30s %-30s %s\n", "NPU ID", "Chip ID", "Chip Logic ID", "Chip Name");
    for (int32_t i = 0; i < settings_all_device_count(); i++)
        printf("\t%-30d %-30d %-30d Ascend %s\n", (int)i, 0, (int)i, short_name());
    return 0;
}

static void print_board(const struct request *request)
{
    const char *name = short_name(), *underscore = strchr(name, '_');
    if (request->chip < 0) {
        line("Product Name", "Belay");
        line("Model", "NA");
        line("Manufacturer", "Belay");
        line("Serial Number", "NA");
        line("Software Version", BELAY_VERSION);
        line("Firmware Version", "NA");
        line("Compatibility", "OK");
    } else {
        line("Chip ID", "0");
        /* A chip with two names has no type of its own. */
        if (underscore == NULL) {
            line("Chip Type", "Ascend");
            line("Chip Name", "%s", name);
        } else {
            line("Chip Name", "Ascend%.*s", (int)(underscore - name), name);
            line("NPU Name", "%s", underscore + 1);
        }
        line("Chip Version", "V1");
    }
    line("Board ID", "NA");
    line("PCB ID", "NA");
    line("BOM ID", "NA");
    line("PCIe Bus Info", "NA");
    line("Slot ID", "NA");
}

static void print_usages(const struct device_load *load)
{
    line("DDR Capacity(MB)", "0");
    line("DDR Usage Rate(%)", "0");
    line("DDR Hugepages Total(page)", "0");
    line("DDR Hugepages Usage Rate(%)", "0");
    line("HBM Capacity(MB)", "%" PRIu64, load->memory_bytes >> 20);
    line("HBM Usage Rate(%)", "%" PRIu32, load->memory_percent);
    line("Aicore Usage Rate(%)", "%" PRIu32, load->busy_percent);
    line("Aivector Usage Rate(%)", "%" PRIu32, load->busy_percent);
    line("Aicpu Usage Rate(%)", "0");
    line("Ctrlcpu Usage Rate(%)", "0");
    line("DDR Bandwidth Usage Rate(%)", "0");
    line("HBM Bandwidth Usage Rate(%)", "0");
    line("Chip ID", "0");
}

static void print_memory(const struct device_load *load)
{
    line("DDR Capacity(MB)", "0");
    line("DDR Clock Speed(MHz)", "NA");
    line("HBM Capacity(MB)", "%" PRIu64, load->memory_bytes >> 20);
    line("HBM Clock Speed(MHz)", "NA");
    line("HBM Temperature(C)", "NA");
    line("HBM Manufacturer ID", "NA");
    line("Chip ID", "0");
}

static void print_common(const struct device_load *load)
{
    line("Chip ID", "0");
    line("Memory Usage Rate(%)", "0");
    line("Hugepages Usage Rate(%)", "0");
    line("HBM Usage Rate(%)", "%" PRIu32, load->memory_percent);
    line("Aicore Usage Rate(%)", "%" PRIu32, load->busy_percent);
    line("Aicore Freq(MHZ)", "NA");
    line("Aicore Count", "%" PRIu32, settings->thread_count);
    line("Temperature(C)", "NA");
    line("NPU Real-time Power(W)", "NA");
}

static void print_processes(int32_t device)
{
    line("Chip ID", "0");
    for (size_t i = 0; i < user_count; i++) {
        if ((users[i].devices >> device & 1) == 0)
            continue;
        printf("\tProcess id:%d\tProcess name:%s\tProcess memory(MB):%" PRIu64 "\n", (int)users[i].process,
               users[i].name, device_load_mib(users[i].live_bytes[device]));
    }
}

static int complain_of(const char *what, const char *word)
{
    fprintf(stderr, "npu-smi: %s %.64s; npu-smi -h says what there is\n", what, word);
    return STATUS_USAGE;
}

static int print_type(const struct request *request)
{
    static const char *const types[] = {"board",  "usages", "memory", "common",
                                        "health", "temp",   "power",  "proc-mem"};
    enum { BOARD, USAGES, MEMORY, COMMON, HEALTH, TEMPERATURE, POWER, PROCESSES, TYPES };
    int type = 0;
    struct device_load load;
    while (type < TYPES && strcmp(request->type, types[type]) != 0)
        type++;
    if (type == TYPES)
        return complain_of("there is no type", request->type);
    if (request->device < 0)
        return complain_of("-i and the number of a device are expected with -t", request->type);
    if (request->device >= settings_all_device_count() || request->chip > 0) {
        fprintf(stderr, "npu-smi: there is no device %d with a chip %d; devices 0 to %d with chip 0 are\n",
                request->device, request->chip > 0 ? request->chip : 0, (int)settings_all_device_count() - 1);
        return STATUS_REFUSED;
    }
    if (type == USAGES || type == COMMON)
        device_users_measure(users, user_count);
    device_load_add_up(users, user_count, request->device, &load);
    line("NPU ID", "%d", request->device);
    if (request->chip < 0 && type != PROCESSES)
        line("Chip Count", "1");
    switch (type) {
    case BOARD:
        print_board(request);
        break;
    case USAGES:
        print_usages(&load);
        break;
    case MEMORY:
        print_memory(&load);
        break;
    case COMMON:
        print_common(&load);
        break;
    case HEALTH:
        line("Health Status", "OK");
        line("Chip ID", "0");
        break;
    case TEMPERATURE:
        line("NPU Temperature (C)", "NA");
        line("Chip ID", "0");
        break;
    case POWER:
        line("NPU Real-time Power(W)", "NA");
        line("Chip ID", "0");
        break;
    default:
        print_processes(request->device);
    }
    return 0;
}

/* -1 for what is no number of a device. */
static int number_of(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    return *text != '\0' && *end == '\0' && number >= 0 && number < INT32_MAX ? (int)number : -1;
}

static int parse(int argc, char **argv, struct request *request)
{
    for (int i = 2; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(word, "-l") == 0) {
            request->lists = true;
        } else if (strcmp(word, "-m") == 0) {
            request->maps = true;
        } else if (strcmp(word, "-t") == 0 && *value != '\0') {
            request->type = value;
            i++;
        } else if (strcmp(word, "-i") == 0 && (request->device = number_of(value)) >= 0) {
            i++;
        } else if (strcmp(word, "-c") == 0 && (request->chip = number_of(value)) >= 0) {
            i++;
        } else {
            return complain_of("this is not understood:", word);
        }
    }
    return 0;
}

static int run_info(int argc, char **argv)
{
    struct request request = {.device = -1, .chip = -1};
    int status = parse(argc, argv, &request);
    if (status != 0)
        return status;
    if (settings_peek(&settings) != 0) {
        const char *message = aclGetRecentErrMsg();
        fprintf(stderr, "npu-smi: %s\n", message != NULL ? message : "the library cannot be used here");
        return STATUS_REFUSED;
    }
    user_count = device_users_read(users, DEVICE_USERS_MAX);
    for (size_t i = 0; i < user_count; i++)
        plain(users[i].name);
    return request.type != NULL ? print_type(&request)
           : request.lists      ? print_list()
           : request.maps       ? print_map()
                                : print_table();
}

int main(int argc, char **argv)
{
    int status = 0;
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "info") == 0 && !(argc == 3 && strcmp(argv[2], "-h") == 0))
        status = run_info(argc, argv);
    else if (strcmp(word, "-v") == 0 || strcmp(word, "--version") == 0)
        printf("npu-smi version: " BELAY_VERSION " (Belay)\n");
    else if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "info") == 0)
        fputs(usage, stdout);
    else if (*word == '\0')
        fputs(usage, stderr), status = STATUS_USAGE;
    else
        status = complain_of("this is not understood:", word);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "npu-smi: standard output cannot be written: %s\n", strerror(errno));
        return STATUS_REFUSED;
    }
    return status;
}

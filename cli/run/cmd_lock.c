/* gramc lock: asks libraries what they offer, and writes that down in gramc.lock, where the other
 * commands look before they run anything. A box that cannot be asked is no part of a lock. */
#include "cli/run/lock.h"
#include "cli/run/workshop.h"

/* What is different from before is said, and then is what the lock says. */
static int pin(struct workshop *shop, const gramc_library *library) {
    if (lock_state_of(shop->lock, library) == LOCK_OTHER) lock_tell_library(shop->lock, library);
    (void)lock_compare(shop->lock, library, shop->offering);
    return lock_set(shop->lock, library, shop->offering);
}

static int pin_one(struct cli *cli, const char *operand, bool check) {
    struct choice chosen = {.agent = NULL};
    struct workshop shop = {.cli = NULL};
    int code = run_choose_library(cli, &chosen, NULL, operand);
    if (code == EXIT_FINE) code = workshop_open(&shop, cli, NULL);
    shop.pins = true;
    if (code == EXIT_FINE) code = workshop_ask(&shop, chosen.library, NULL, false);
    if (code == EXIT_FINE) code = workshop_report_boxes(&shop);
    if (code == EXIT_FINE) code = pin(&shop, chosen.library);
    if (code == EXIT_FINE) code = lock_write(shop.lock, check);
    workshop_close(&shop);
    run_choice_free(&chosen);
    return code;
}

int cmd_lock(struct cli *cli) {
    bool check = cli->options[OPTION_CHECK] != NULL;
    int worst = EXIT_FINE;
    if (!cli->operand_count)
        return cli_usage(cli, "lock: name one library or several, FILE or FILE#NAME");
    for (size_t i = 0; i < cli->operand_count; i++) {
        int code = pin_one(cli, cli->operands[i], check);
        if (code > EXIT_FINDINGS) return code;
        if (code > worst) worst = code;
    }
    return worst;
}

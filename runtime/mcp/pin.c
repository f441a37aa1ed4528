/* Holds a server to what it listed when it was asked first: a call that is pinned to that list is
 * made only while the server says the same. A server that was started again, or says that its tools
 * have changed, is asked for its list before the next such call. */
#include <string.h>

#include "base/text.h"
#include "runtime/mcp/client.h"

void mcp_listing_digest(const struct mcp_listing *listing, char hex[SHA256_HEX]) {
    struct sha256 sha;
    sha256_init(&sha);
    sha256_add_number(&sha, listing->count);
    for (const struct mcp_tool *tool = listing->tools; tool; tool = tool->next) {
        const gramc_text texts[] = {tool->name,  tool->title,  tool->description,
                                    tool->input, tool->output, tool->annotations};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) sha256_add_text(&sha, texts[i]);
    }
    sha256_hex(&sha, hex);
}

void mcp_pin_note(struct mcp_client *client, const struct mcp_listing *listing) {
    mcp_listing_digest(listing, client->listed);
    client->has_listed = true;
    client->listed_at = listing->changes;
}

bool mcp_pin_says(const struct mcp_client *client, gramc_text pin) {
    return !pin.len ||
           (client->has_listed && text_eq(pin, (gramc_text){client->listed, SHA256_HEX}));
}

bool mcp_pin_holds(const struct mcp_client *client, gramc_text pin) {
    return !pin.len || (mcp_pin_says(client, pin) && client->listed_at == client->changes);
}

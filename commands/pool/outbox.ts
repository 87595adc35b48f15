import { ApiCommand } from '../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { bytes } from '../../src/cli/kit/screen.ts';
import { outboxTable } from '../../src/cli/pool/outbox-table.ts';
import { waitingMessages } from '../../src/cli/pool/pool-pages.ts';

export default class Outbox extends ApiCommand {
  static override summary = 'List the messages that wait for other nodes, and why';
  static override examples = ['<%= config.bin %> pool outbox', '<%= config.bin %> pool outbox --limit 1000 --json'];
  static override flags = pageFlags(100);

  async run(): Promise<void> {
    const { flags } = await this.parse(Outbox);
    await using client = await this.connect(flags);
    const found = await waitingMessages(client, shownBy(flags));
    await this.answer(found, (screen) => outboxTable(screen, found.messages));
    if (found.count === 0) this.say('No message waits for another node.');
    else
      this.say(
        `${found.count} waiting, ${bytes(found.bytes)}.${found.hasMore ? ' There are more. Use --limit or --all.' : ''}`,
      );
  }
}

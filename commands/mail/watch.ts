import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapedJson, escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { openArrivals } from '../../src/cli/mail/arrivals.ts';
import { mailboxText } from '../../src/cli/mail/mail-columns.ts';
import { watchMail } from '../../src/cli/mail/watching.ts';
import { folders, type Folder } from '../../src/contract/mail/limits.ts';

export default class Watch extends ApiCommand {
  static override summary = 'Tell what comes into a folder, as it comes';
  static override description =
    'One line for each message: id, sender and subject; with --json, one JSON object. Press Ctrl-C to stop.';
  static override examples = ['<%= config.bin %> mail watch'];
  static override flags = {
    folder: Flags.string({ description: 'folder to watch', options: [...folders], default: 'inbox' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Watch);
    await using client = await this.connectToWatch(flags);
    if (client.connection.kind === 'process')
      this.warnOf('No server runs on this data directory. Nothing arrives until one does: conclave serve');
    const arrived = await openArrivals(client, flags.folder as Folder);
    this.say('Watching. Press Ctrl-C to stop.');
    const tell = (line: string) => void this.terminal.stdout.write(`${line}\n`);
    await watchMail(client, {
      look: async () => {
        for (const message of await arrived()) {
          const text = [message.id, mailboxText(message.from), message.subject].map(escapeForTerminal).join('\t');
          tell(flags.json ? escapedJson(message, 0) : text);
        }
        return !this.terminal.stdout.destroyed;
      },
      trouble: ({ message }) => this.warnOf(`${message} Trying again.`),
    });
  }
}

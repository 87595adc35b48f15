import { Args, Flags } from '@oclif/core';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { askForKey, exportAll, sourcesOf } from '../../src/cli/chat/export/export-all.ts';
import { openExport } from '../../src/cli/chat/export/export-folder.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { interruptibly } from '../../src/cli/files/transfer/interruption.ts';
import { counted } from '../../src/cli/kit/counted.ts';
import { perform } from '../../src/client/perform.ts';
import { accounts } from '../../src/contract/accounts.ts';

export default class Export extends ChatCommand {
  static override summary = 'Write your conversations to files: messages, members and attachments';
  static override description = `Each conversation gets a folder with messages.jsonl (one message a line, in their order), conversation.json and attachments. Without WITH, all are written, those of the social network too. What only members can read is opened here.
In a folder of an earlier run, it goes on behind the last message that is there. Of what is there, only conversation.json is renewed. Only you can read what is written. It is not encrypted.`;
  static override examples = [
    '<%= config.bin %> chat export',
    '<%= config.bin %> chat export tea --to tea-2026',
    '<%= config.bin %> chat export --to backup --json',
  ];
  static override args = {
    with: Args.string({
      description:
        'username or id of the other member, name of a group or channel, or id of the conversation; without it, all',
    }),
  };
  static override flags = {
    to: Flags.string({ description: 'folder to write into', default: 'conversations', helpValue: 'DIR' }),
    ...chatKeyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Export);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const { server } = await side.memory();
    const { user } = await perform(client, accounts.verify, {});
    const sources = await sourcesOf(side, args.with);
    await askForKey(side, sources);
    await using folder = await openExport(flags.to, { memberId: user.id, username: user.username, server });
    const { exported, failures } = await interruptibly(
      async (signal) =>
        await this.waitFor(
          'Exporting',
          async (teller) => await exportAll(sources, { path: flags.to, folder, patience: { signal } }, teller),
        ),
      (said) => this.say(said),
    );
    await this.answer({ dir: flags.to, conversations: exported, failed: failures.list }, () => '');
    const messages = exported.reduce((sum, { added }) => sum + added, 0);
    const unreadable = exported.reduce((sum, one) => sum + one.unreadable, 0);
    this.say(`Wrote ${counted(messages, 'message')} of ${counted(exported.length, 'conversation')} to ${flags.to}.`);
    if (unreadable > 0)
      this.warnOf(`${counted(unreadable, 'message')} could not be written whole. The reason stands in the line.`);
    for (const { path, message } of failures.list) this.warnOf(`${path}: ${message}`);
    if (failures.exitCode !== 0) this.exit(failures.exitCode);
  }
}

import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { scopesFor } from '../../../src/cli/chat/bots.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';
import { expiryOf } from '../../../src/cli/kit/expiry.ts';
import { chat } from '../../../src/contract/chat.ts';

const several = { multiple: true, multipleNonGreedy: true, helpValue: 'WITH' } as const;

export default class BotCreate extends ChatCommand {
  static override summary = 'Make a token for a program in some conversations; it is shown only once';
  static override description =
    'The program sends it as Authorization: Bearer TOKEN. It acts in your name and reaches nothing but these conversations. What it writes says by which token. Its right ends when you leave the conversation. A conversation that only its members can read has none.';
  static override examples = [
    '<%= config.bin %> chat bot create deploys --write builds',
    '<%= config.bin %> chat bot create archive --read tea --read bob --expires 90d > token.txt',
  ];
  static override args = {
    name: Args.string({ description: 'name for the list, shown beside its messages', required: true }),
  };
  static override flags = {
    read: Flags.string({
      ...several,
      description: 'a conversation that it may read; may be given several times',
      default: [],
    }),
    write: Flags.string({
      ...several,
      description: 'one that it may read and write in; may be given several times',
      default: [],
    }),
    expires: Flags.string({ description: '90d, 12h, a date, or never', default: 'never', helpValue: 'WHEN' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BotCreate);
    const expiresAt = expiryOf(flags.expires, Date.now());
    await using client = await this.connect(flags);
    const made = await perform(client, chat.createBot, {
      name: args.name,
      scopes: await scopesFor(this.side(client), flags),
      ...(expiresAt !== undefined && { expiresAt }),
    });
    this.say('Whoever has this token can do what it may. It is not shown again.');
    await this.answer(made, () => made.token);
  }
}

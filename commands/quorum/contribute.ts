import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { sessionLines } from '../../src/cli/quorum/document-views.ts';
import { peopleOf } from '../../src/cli/quorum/people.ts';
import { ownKeys, phraseFlag } from '../../src/cli/quorum/phrase.ts';
import { chosenSession } from '../../src/cli/quorum/waiting.ts';

export default class Contribute extends ApiCommand {
  static override summary = 'Give your share to somebody who opens a sealed document';
  static override description =
    'Your recovery phrase opens your share on this machine. The share leaves it encrypted for the one who asked, for this session alone. Without an id: the session that waits for you.';
  static override examples = ['<%= config.bin %> quorum contribute 01a1fcb906fb'];
  static override args = {
    session: Args.string({ description: 'id of the session, or the beginning of it' }),
  };
  static override flags = { ...phraseFlag, yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Contribute);
    await using client = await this.connect(flags);
    const { id: sessionId, documentId, ...rest } = await chosenSession(client, this.terminal, args.session);
    const people = await peopleOf(client);
    const screen = await this.screen();
    for (const line of sessionLines(screen, { id: sessionId, documentId, ...rest }, people)) this.say(line);
    await confirmed(this.terminal, flags.yes, 'Give your share?');
    const keys = await ownKeys(this.terminal, flags['mnemonic-file']);
    const { contribute } = await import('../../src/client/quorum/contribute.ts');
    const session = await contribute(client, { documentId, sessionId }, keys);
    const { contributions, sharesRequired } = session;
    await this.answer(
      { sessionId, documentId, contributed: contributions.length, sharesRequired, status: session.status },
      () => `Your share is given: ${contributions.length} of ${sharesRequired}.`,
    );
  }
}

import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { peopleOf } from '../../src/cli/quorum/people.ts';
import { ownKeys, phraseFlag } from '../../src/cli/quorum/phrase.ts';
import { reshareDetails, reshareLines } from '../../src/cli/quorum/reshare-views.ts';
import { chosenReshare } from '../../src/cli/quorum/waiting.ts';

export default class Confirm extends ApiCommand {
  static override summary = 'Confirm that you can read your new share of a document';
  static override description =
    'Your recovery phrase opens the new share on this machine, and compares it with what was promised. When enough holders have confirmed, the new shares replace the old ones. Without an id: the re-sharing that waits for you.';
  static override examples = ['<%= config.bin %> quorum confirm 01a1fcb906fb'];
  static override args = {
    reshare: Args.string({ description: 'id of the re-sharing, or the beginning of it' }),
  };
  static override flags = { ...phraseFlag, yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Confirm);
    await using client = await this.connect(flags);
    const waiting = await chosenReshare(client, this.terminal, args.reshare);
    const people = await peopleOf(client);
    for (const line of reshareLines(await this.screen(), waiting, people)) this.say(line);
    await confirmed(this.terminal, flags.yes, 'Open your new share and confirm it?');
    const keys = await ownKeys(this.terminal, flags['mnemonic-file']);
    const { confirmNewShare } = await import('../../src/client/quorum/reshare.ts');
    const place = { documentId: waiting.documentId, reshareId: waiting.id };
    const reshare = await confirmNewShare(client, place, keys);
    await this.answer(reshare, (screen) => reshareDetails(screen, reshare, people));
  }
}

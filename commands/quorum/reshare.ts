import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { documentIdOf } from '../../src/cli/quorum/find-document.ts';
import { peopleOf } from '../../src/cli/quorum/people.ts';
import { cancelResharing, resharing, resharingNow } from '../../src/cli/quorum/resharing.ts';
import { reshareDetails } from '../../src/cli/quorum/reshare-views.ts';

export default class Reshare extends ApiCommand {
  static override summary = 'Share a sealed document anew, for the members of today';
  static override description =
    'The holders contribute their old shares; this machine makes new ones; the new holders confirm that they can read theirs. Until then the old shares count. New shares keep former holders out of this server, but their old shares still open a copy of the ciphertext that they kept. With --rekey the document gets a new key too, so old shares open nothing that is stored from then on; what was read or copied before stays known. If the command is ended, run it again: it goes on.';
  static override examples = [
    '<%= config.bin %> quorum reshare 01a1fcb906fb --member ada --member cyd --threshold 2 --rekey',
  ];
  static override args = {
    document: Args.string({ description: 'id of the document, or its first eight or more digits', required: true }),
  };
  static override flags = {
    member: Flags.string({
      description: 'name, e-mail address or id of a new holder; repeat for more; the present holders without it',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME',
    }),
    threshold: Flags.integer({ description: 'how many open it together; default: as many as now', helpValue: 'N' }),
    rekey: Flags.boolean({ description: 'encrypt the document under a new key as well' }),
    reason: Flags.string({ description: 'what the holders are told', default: 'Not given.', helpValue: 'TEXT' }),
    status: Flags.boolean({ description: 'show how far it is instead', exclusive: ['cancel'] }),
    cancel: Flags.boolean({ description: 'cancel it instead; the old shares stay' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Reshare);
    await using client = await this.connect(flags);
    const documentId = await documentIdOf(client, await this.screen(), args.document);
    const people = await peopleOf(client);
    const wait = async <T>(text: string, work: Parameters<typeof this.waitFor<T>>[1]) => await this.waitFor(text, work);
    const voice = { terminal: this.terminal, say: (text: string) => this.say(text), wait };
    const chosen = { status: resharingNow, cancel: cancelResharing, begin: resharing };
    const does = chosen[flags.status ? 'status' : flags.cancel ? 'cancel' : 'begin'];
    const reshare = await does(client, voice, people, {
      documentId,
      memberIds: flags.member?.map((name) => people.find(name).id),
      sharesRequired: flags.threshold,
      rekey: flags.rekey,
      reason: flags.reason,
    });
    await this.answer(reshare, (screen) => reshareDetails(screen, reshare, people));
  }
}

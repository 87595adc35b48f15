import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { documentIdOf } from '../../src/cli/quorum/find-document.ts';
import { cancelUnsealing, unsealing } from '../../src/cli/quorum/unsealing.ts';
import { writeOpened } from '../../src/cli/quorum/opened-output.ts';
import { assertWritable } from '../../src/cli/kit/body-files.ts';

export default class Unseal extends ApiCommand {
  static override summary = 'Open a sealed document, with the shares of enough holders';
  static override description =
    'The holders contribute with `conclave quorum contribute`. Their shares are joined on this machine, so the server sees no phrase, no share and no key. If the command is ended, run it again: the session goes on.';
  static override examples = ['<%= config.bin %> quorum unseal 01a1fcb906fb --reason "Yearly audit" --out plan.json'];
  static override args = {
    document: Args.string({ description: 'id of the document, or its first eight or more digits', required: true }),
  };
  static override flags = {
    out: Flags.string({ description: 'new file for the document, for its owner alone', helpValue: 'FILE' }),
    reason: Flags.string({ description: 'what the holders are told', default: 'Not given.', helpValue: 'TEXT' }),
    text: Flags.boolean({ description: 'write the text that was sealed with --text, without quotes' }),
    cancel: Flags.boolean({ description: 'end the session instead', exclusive: ['out', 'text'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unseal);
    await using client = await this.connect(flags);
    const documentId = await documentIdOf(client, await this.screen(), args.document);
    const voice = { terminal: this.terminal, say: (text: string) => this.say(text) };
    if (flags.cancel) {
      const sessionId = await cancelUnsealing(client, voice, documentId);
      return await this.answer({ cancelled: sessionId }, () => `Cancelled the session ${sessionId}.`);
    }
    const { out } = flags;
    if (out !== undefined) await assertWritable(out);
    const wait = async <T>(text: string, work: Parameters<typeof this.waitFor<T>>[1]) => await this.waitFor(text, work);
    const content = await unsealing(client, { ...voice, wait }, { documentId, reason: flags.reason });
    const how = { out, asText: flags.text, json: this.wantsJson };
    const written = await writeOpened(this.terminal, content, how);
    if (written !== undefined) await this.answer(written, () => `Opened ${documentId} into ${out}.`);
  }
}

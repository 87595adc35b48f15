import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { listed, peopleOf } from '../../src/cli/quorum/people.ts';
import { sealedInput } from '../../src/cli/quorum/sealed-input.ts';
import { quorumDocuments } from '../../src/contract/quorum/documents.ts';

export default class Seal extends ApiCommand {
  static override summary = 'Seal a document, so that only several members together can open it';
  static override description =
    'The server encrypts the document under a new key, and gives each member a share of that key. While it does, it has the document in clear. Afterwards nobody can open it alone, the operator included.';
  static override examples = [
    '<%= config.bin %> quorum seal plan.json --member ada --member bob --member cyd --threshold 2',
  ];
  static override args = {
    file: Args.string({ description: 'file with JSON, at most 5 MiB (- for standard input)', required: true }),
  };
  static override flags = {
    member: Flags.string({
      description: 'name, e-mail address or id of a member who gets a share; repeat for more; all members without it',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME',
    }),
    threshold: Flags.integer({
      description: 'how many members open it together; default: the threshold of the quorum',
      helpValue: 'N',
    }),
    text: Flags.boolean({ description: 'seal the file as text, also if it is no JSON' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Seal);
    const document = await sealedInput(this.terminal, args.file, flags.text);
    await using client = await this.connect(flags);
    const people = await peopleOf(client);
    const members = flags.member?.map((name) => people.find(name)) ?? people.members;
    const memberIds = members.map(({ id }) => id);
    const input = { document, memberIds, ...(flags.threshold !== undefined && { sharesRequired: flags.threshold }) };
    const sealed = await this.waitFor('Sealing', perform(client, quorumDocuments.seal, input));
    await this.answer(sealed, () => {
      const who = escapeForTerminal(listed(sealed.memberIds.map(people.nameOf)));
      return `Sealed ${sealed.documentId}.\nAny ${sealed.sharesRequired} of ${who} open it together.`;
    });
    this.say(`To open it, run: conclave quorum unseal ${sealed.documentId.slice(0, 12)}`);
  }
}

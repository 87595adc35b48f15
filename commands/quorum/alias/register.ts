import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { expiryOf } from '../../../src/cli/kit/expiry.ts';
import { jsonObject } from '../../../src/cli/quorum/action-values.ts';
import { sealedInput } from '../../../src/cli/quorum/sealed-input.ts';
import { quorumProposals } from '../../../src/contract/quorum/proposals.ts';

export default class Register extends ApiCommand {
  static override summary = 'Propose an alias for an identity, which is sealed at once';
  static override description =
    'The members of the quorum decide. Who is behind the alias opens after a proposal IDENTITY_DISCLOSURE alone.';
  static override examples = ['<%= config.bin %> quorum alias register amazing.g --identity grace.json'];
  static override args = {
    alias: Args.string({ description: '3 to 32 of a-z, 0-9, dot, hyphen and underscore', required: true }),
  };
  static override flags = {
    identity: Flags.string({
      description: 'file with the identity as JSON (- for standard input)',
      required: true,
      helpValue: 'FILE',
    }),
    description: Flags.string({ description: 'what it is about, for the members who vote', helpValue: 'TEXT' }),
    expires: Flags.string({ description: 'when voting ends: 7d, 12h, or a date', default: '7d', helpValue: 'WHEN' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Register);
    await using client = await this.connect(flags);
    const { bytes } = await sealedInput(this.terminal, flags.identity, false);
    const identity = jsonObject(new TextDecoder().decode(bytes), flags.identity);
    const { proposal } = await perform(client, quorumProposals.createProposal, {
      actionType: 'REGISTER_ALIAS',
      actionPayload: { aliasName: args.alias, identity },
      description: flags.description ?? `The alias ${args.alias}`,
      expiresAt: expiryOf(flags.expires, Date.now()) ?? '',
    });
    await this.answer(proposal, () => `Proposed ${proposal.id}. The identity is sealed.`);
  }
}

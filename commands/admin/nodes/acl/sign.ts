import { Args, Flags } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { confirmed } from '../../../../src/cli/kit/confirmation.ts';
import { findProposal, refuseOver, showProposal } from '../../../../src/cli/pool/proposals.ts';
import { pool } from '../../../../src/contract/pool.ts';

export default class Sign extends ApiCommand {
  static override summary = 'Sign a proposed change of the access list, after showing what it changes';
  static override description = 'With enough signatures the change is in force.';
  static override examples = [
    '<%= config.bin %> admin nodes acl sign 9b1c04',
    '<%= config.bin %> admin nodes acl sign 9b1c04 --yes',
  ];
  static override args = {
    proposal: Args.string({ description: 'hash of the proposal, or its beginning', required: true }),
  };
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Sign);
    await using client = await this.connect(flags);
    const proposal = await findProposal(client, args.proposal);
    refuseOver(proposal);
    await showProposal(client, this.terminal, proposal);
    await confirmed(this.terminal, flags.yes, 'Sign this?');
    const signed = await perform(client, pool.signAcl, { hash: proposal.hash });
    const again = signed.signatures === proposal.signers.length;
    const has = `${again ? 'This key has signed it before. ' : ''}It has ${signed.signatures} of ${signed.threshold} signatures.`;
    await this.answer(signed, () =>
      signed.active
        ? `${has} Access list version ${signed.aclVersion} is active.`
        : `${has} ${again ? 'Another administrator has to sign it.' : 'It is not in force yet.'}`,
    );
  }
}

import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { findProvenMember } from '../../../src/cli/accounts/find-member.ts';
import { accountKey, newKey } from '../../../src/cli/quorum/new-key.ts';
import { quorumMembers } from '../../../src/contract/quorum/members.ts';

export default class Add extends ApiCommand {
  static override summary = 'Add a member to the quorum';
  static override description =
    'For administrators, until the quorum decides about its members itself. The new recovery phrase is made on this machine, shown once, on the terminal alone, and three of its words are asked for. With --public-key the member keeps the phrase to themselves. With --own you are the member, with the key of your account. The account with this key, the one of --account, or the one whose verified e-mail address this is, is linked to the member.';
  static override examples = [
    '<%= config.bin %> quorum members add Ada --email ada@example.org --account ada',
    '<%= config.bin %> quorum members add Bob --public-key 02c6…',
    '<%= config.bin %> quorum members add Grace --own',
  ];
  static override args = { name: Args.string({ description: 'name of the member', required: true }) };
  static override flags = {
    account: Flags.string({
      description: 'the account of the member: username, verified e-mail address, or beginning of the id',
      helpValue: 'MEMBER',
    }),
    email: Flags.string({ description: 'e-mail address of the member', helpValue: 'ADDRESS' }),
    role: Flags.string({ description: 'what the member is in the group', helpValue: 'TEXT' }),
    'public-key': Flags.string({ description: 'key of the member, compressed, in hex', helpValue: 'HEX' }),
    own: Flags.boolean({ description: 'add yourself, with the key of your account', exclusive: ['public-key'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Add);
    await using client = await this.connect(flags);
    const account = flags.account === undefined ? undefined : await findProvenMember(client, flags.account);
    const made = async () => (flags.own ? await accountKey(client) : await newKey(client, this.terminal));
    const publicKey = flags['public-key'] ?? (await made());
    const { email, role } = flags;
    const { member } = await perform(client, quorumMembers.addMember, {
      name: args.name,
      publicKey,
      ...(account !== undefined && { accountId: account.id }),
      ...(email !== undefined && { email }),
      ...(role !== undefined && { role }),
    });
    const unknown = email === undefined ? '' : ` No account has ${email} as its verified address, so none is linked.`;
    const linked =
      member.accountId === undefined ? `${unknown} They link an account with: conclave quorum members link` : '';
    await this.answer(member, () => escapeForTerminal(`Added ${member.metadata.name}, member ${member.id}.${linked}`));
  }
}

import { Args } from '@oclif/core';
import { invitationFlags, readInvitation, refuseInvitation } from '../../../src/cli/chat/invitation.ts';
import { joinByInvite, joinByName } from '../../../src/cli/chat/join-channel.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { Problem } from '../../../src/base/problem.ts';

export default class Join extends ApiCommand {
  static override summary = 'Join a public channel, or any channel by an invite';
  static override description =
    'An invite is a secret, and therefore no argument. It names its channel. To a bare token, give the channel too, by its id if it cannot be found.';
  static override examples = [
    '<%= config.bin %> chat channel join tea',
    '<%= config.bin %> chat channel join --invite',
    '<%= config.bin %> chat channel join --invite --token-file invite.txt',
  ];
  static override args = {
    channel: Args.string({ description: 'name of the channel, with or without #, or its id' }),
  };
  static override flags = invitationFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Join);
    refuseInvitation(args.channel);
    const invitation = flags.invite ? await readInvitation(this.terminal, flags['token-file']) : undefined;
    if (invitation === undefined && args.channel === undefined)
      throw new Problem('invalid', 'USAGE', 'Name the channel to join, or use --invite.');
    await using client = await this.connect(flags);
    const channel =
      invitation === undefined
        ? await joinByName(client, args.channel ?? '')
        : await joinByInvite(client, invitation, args.channel);
    await this.answer(channel, () =>
      escapeForTerminal(`You joined #${channel.name}, with ${counted(channel.memberCount, 'member')}.`),
    );
    if (channel.mode === 'client')
      this.say('Only its members can read it. You wait for the key until one gives it to you: conclave chat admit');
  }
}

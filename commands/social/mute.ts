import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { personArgument, undoFlag } from '../../src/cli/social/arguments.ts';
import { social } from '../../src/contract/social.ts';
import { muteDurations, type MuteDuration } from '../../src/contract/social/limits.ts';

export default class Mute extends ApiCommand {
  static override summary = 'Mute a member for a time, or end a mute';
  static override description = 'You do not see their posts in timelines. They are not told.';
  static override examples = ['<%= config.bin %> social mute ada --for 8h', '<%= config.bin %> social mute ada --undo'];
  static override args = personArgument;
  static override flags = {
    for: Flags.string({ description: 'how long', options: Object.keys(muteDurations), default: 'permanent' }),
    ...undoFlag('end the mute'),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Mute);
    await using client = await this.connect(flags);
    if (flags.undo) {
      await perform(client, social.unmute, { id: args.person });
      await this.answer({ muted: false }, () => `${args.person} is not muted any more.`);
      return;
    }
    const reply = await perform(client, social.mute, { id: args.person, duration: flags.for as MuteDuration });
    await this.answer({ muted: true, ...reply }, (screen) =>
      reply.expiresAt === undefined
        ? `${args.person} is muted.`
        : `${args.person} is muted until ${moment(screen, reply.expiresAt)}.`,
    );
  }
}

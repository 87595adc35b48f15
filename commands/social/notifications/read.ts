import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { notificationNamed } from '../../../src/cli/social/find-notification.ts';
import { sentenceOf } from '../../../src/cli/social/notification-views.ts';
import { notifications } from '../../../src/contract/notifications.ts';
import { Problem } from '../../../src/base/problem.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';

export default class Read extends ApiCommand {
  static override summary = 'Mark a notification as read, or all of them';
  static override examples = [
    '<%= config.bin %> social notifications read 019bc1fcb906',
    '<%= config.bin %> social notifications read --all',
  ];
  static override args = { notification: Args.string({ description: 'id, or its first eight or more digits' }) };
  static override flags = { all: Flags.boolean({ description: 'all notifications' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Read);
    if ((args.notification === undefined) === !flags.all)
      throw new Problem('invalid', 'USAGE', 'Name a notification, or use --all.');
    await using client = await this.connect(flags);
    if (args.notification === undefined) {
      const done = await perform(client, notifications.markAllRead, {});
      await this.answer(done, () => `Marked ${counted(done.marked, 'notification')} as read.`);
      return;
    }
    const notificationId = await notificationNamed(client, args.notification);
    const { notification } = await perform(client, notifications.markRead, { notificationId });
    await this.answer(notification, () => escapeForTerminal(sentenceOf(notification)));
  }
}

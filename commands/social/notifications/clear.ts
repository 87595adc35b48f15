import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { notificationNamed } from '../../../src/cli/social/find-notification.ts';
import { notifications } from '../../../src/contract/notifications.ts';

export default class Clear extends ApiCommand {
  static override summary = 'Delete all your notifications, or one of them';
  static override description = 'What they are about stays.';
  static override examples = [
    '<%= config.bin %> social notifications clear --yes',
    '<%= config.bin %> social notifications clear 019bc1fcb906',
  ];
  static override args = { notification: Args.string({ description: 'id, or its first eight or more digits' }) };
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Clear);
    await using client = await this.connect(flags);
    if (args.notification !== undefined) {
      const notificationId = await notificationNamed(client, args.notification);
      const gone = await perform(client, notifications.remove, { notificationId });
      await this.answer(gone, () => 'Deleted the notification.');
      return;
    }
    await confirmed(this.terminal, flags.yes, 'Delete all your notifications, also unread ones?');
    const done = await perform(client, notifications.removeAll, {});
    await this.answer(done, () => `Deleted ${counted(done.deleted, 'notification')}.`);
  }
}

import { Flags } from '@oclif/core';
import { collectPages } from '../../src/client/pages.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { openNews, watchNotifications } from '../../src/cli/social/notification-news.ts';
import { notificationLine, notificationTable } from '../../src/cli/social/notification-views.ts';
import { notifications } from '../../src/contract/notifications.ts';

export default class Notifications extends ApiCommand {
  static override summary = 'List what you should know of, the latest first, or watch it come';
  static override description =
    'An asterisk marks what is unread. With --watch there is one line for each notification as it comes: id, type and text; with --json, one JSON object. Press Ctrl-C to stop.';
  static override examples = [
    '<%= config.bin %> social notifications --unread',
    '<%= config.bin %> social notifications --watch',
  ];
  static override flags = {
    unread: Flags.boolean({ description: 'unread notifications alone' }),
    watch: Flags.boolean({ description: 'tell what comes, as it comes', exclusive: ['unread', 'all', 'cursor'] }),
    ...pageFlags(50),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Notifications);
    await using client = flags.watch ? await this.connectToWatch(flags) : await this.connect(flags);
    if (!flags.watch) {
      const filter = flags.unread ? { unread: 'true' as const } : {};
      const { items, ...more } = await collectPages(
        client,
        notifications.list,
        filter,
        'notifications',
        shownBy(flags),
      );
      await this.answer({ notifications: items, ...more }, (screen) => notificationTable(screen, items));
      if (items.length === 0) this.say('There are no notifications.');
      if (more.hasMore) this.say('There are more. Use --limit or --all.');
      return;
    }
    if (client.connection.kind === 'process')
      this.warnOf('No server runs on this data directory. Nothing comes until one does: conclave serve');
    const news = await openNews(client);
    this.say('Watching. Press Ctrl-C to stop.');
    await watchNotifications(client, {
      look: async () => {
        for (const one of await news()) this.terminal.stdout.write(`${notificationLine(one, flags.json)}\n`);
        return !this.terminal.stdout.destroyed;
      },
      trouble: ({ message }) => this.warnOf(`${message} Trying again.`),
    });
  }
}

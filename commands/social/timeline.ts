import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapedJson } from '../../src/cli/kit/escape-for-terminal.ts';
import { postsText } from '../../src/cli/social/post-view.ts';
import { chosenTimeline, timelineFlags } from '../../src/cli/social/timeline-flags.ts';
import { readTimeline, timelineKinds } from '../../src/cli/social/timelines.ts';
import { watchNewPosts } from '../../src/cli/social/watch-timeline.ts';

export default class TimelineCommand extends ApiCommand {
  static override summary = 'Read a timeline';
  static override description =
    'home: the members whom you follow; public: this node; hub, user and tag: one hub, one member, one hashtag. With --json, `cursor` continues by --cursor.';
  static override examples = [
    '<%= config.bin %> social timeline',
    '<%= config.bin %> social timeline tag garden --sort hot',
    '<%= config.bin %> social timeline --list Friends',
    '<%= config.bin %> social timeline public --watch',
  ];
  static override args = {
    kind: Args.string({ description: 'which timeline', options: [...timelineKinds], default: 'home' }),
    name: Args.string({ description: 'the hub, the member, or the hashtag' }),
  };
  static override flags = {
    ...timelineFlags,
    limit: Flags.integer({ description: 'show at most this many', default: 20, min: 1, max: 1_000, helpValue: 'N' }),
    cursor: Flags.string({ description: 'continue after an earlier page', helpValue: 'CURSOR' }),
    watch: Flags.boolean({ description: 'show new posts as they come', exclusive: ['cursor', 'sort', 'limit'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TimelineCommand);
    await using client = flags.watch ? await this.connectToWatch(flags) : await this.connect(flags);
    const timeline = await chosenTimeline(client, args, flags);
    if (!flags.watch) {
      const page = await readTimeline(client, timeline, flags.limit, flags.cursor);
      await this.answer(page, (screen) => postsText(screen, page.posts));
      if (page.posts.length === 0) this.say('There are no posts here.');
      if (page.hasMore && !flags.json) this.say('There are more. Use --limit, or --json and --cursor.');
      return;
    }
    if (client.connection.kind === 'process')
      this.warnOf(
        'No server runs on this data directory. Only what other commands write comes until one does: conclave serve',
      );
    this.say('Watching. Press Ctrl-C to stop.');
    await watchNewPosts(client, timeline, {
      tell: async (post) => {
        const text = flags.json ? escapedJson(post, 0) : await this.drawn((screen) => postsText(screen, [post]));
        return this.terminal.stdout.write(`${text}\n`) || !this.terminal.stdout.destroyed;
      },
      missed: () => this.warnOf('More posts came than are shown here. To read them, run the command without --watch.'),
      trouble: ({ message }) => this.warnOf(`${message} Trying again.`),
    });
  }
}

import { ApiCommand } from '../src/cli/kit/command.ts';
import { hasFullScreen } from '../src/cli/kit/terminal.ts';
import { unknownCommand } from '../src/cli/kit/unknown-command.ts';
import { postsText } from '../src/cli/social/post-view.ts';
import { readTimeline } from '../src/cli/social/timelines.ts';

/** What is listed without a terminal. */
const LISTED = 20;

export default class Social extends ApiCommand {
  static override summary = 'Read the social network on the terminal';
  static override description =
    'Your home timeline. Keys: j and k go down and up, Enter opens a thread, l likes, b reposts, r replies, c writes a post, x shows what a warning hides, 1 to 4 go to home, everybody, hubs and notifications, q goes back, and ? shows all keys. New posts appear by themselves. Without a terminal, the home timeline is listed.';
  static override examples = ['<%= config.bin %> social'];
  static override strict = false;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Social);
    if (argv.length > 0) throw unknownCommand(['social', ...(argv as string[])], this.config);
    const { terminal } = this;
    if (!hasFullScreen(terminal) || this.wantsJson) {
      await using client = await this.connect(flags);
      const page = await readTimeline(client, { kind: 'home' }, LISTED);
      await this.answer(page, (screen) => postsText(screen, page.posts));
      if (page.posts.length === 0) this.say('There are no posts here.');
      return;
    }
    const [{ readSocial }, { withFullScreen }] = await Promise.all([
      import('../src/cli/social/reader/reader.ts'),
      import('../src/cli/kit/full-screen.ts'),
    ]);
    const connect = async () => await this.connect(flags);
    const screen = async () => await this.screen();
    await withFullScreen(terminal, { connect, screen }, async (full) => await readSocial({ ...full, connect }));
  }
}

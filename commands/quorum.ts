import { ApiCommand } from '../src/cli/kit/command.ts';
import { Cancelled } from '../src/cli/kit/prompts.ts';
import { isInteractive } from '../src/cli/kit/terminal.ts';
import { unknownCommand } from '../src/cli/kit/unknown-command.ts';
import { overviewOf, taskData, taskLine } from '../src/cli/quorum/overview.ts';
import { Problem } from '../src/base/problem.ts';

export default class Quorum extends ApiCommand {
  static override summary = 'Work through what waits for you in the quorum: votes, shares and confirmations';
  static override description =
    'Each is shown in full, and one key acts on it. Without a terminal they are listed, with the command for each.';
  static override examples = ['<%= config.bin %> quorum'];
  static override strict = false;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Quorum);
    if (argv.length > 0) throw unknownCommand(['quorum', ...(argv as string[])], this.config);
    await using client = await this.connect(flags);
    const overview = await overviewOf(client);
    const { tasks } = overview;
    if (tasks.length === 0) {
      await this.answer({ tasks: [] }, () => 'Nothing waits for you. To see more: conclave quorum status');
      return;
    }
    if (!isInteractive(this.terminal) || this.wantsJson) {
      await this.answer({ tasks: tasks.map(taskData) }, () => tasks.map(taskLine).join('\n'));
      return;
    }
    const { workThrough } = await import('../src/cli/quorum/tasks.ts');
    const warn = (error: unknown) => {
      if (!(error instanceof Problem) || error instanceof Cancelled) throw error;
      this.warnOf(error.message);
    };
    const desk = { terminal: this.terminal, screen: await this.screen(), say: (text: string) => this.say(text), warn };
    await workThrough(client, desk, overview);
  }
}

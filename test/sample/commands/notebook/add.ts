import { argumentOf, PerformCommand, performing } from '../../../../src/cli/kit/perform-command.ts';
import { notebook } from '../../notebook.ts';

export default class Add extends PerformCommand {
  static override summary = 'Write a note';
  static override examples = ['<%= config.bin %> notebook add "Almond milk"'];
  static override args = argumentOf(notebook.add, 'title');

  protected override readonly performs = performing(notebook.add, ({ note }) => `Added note ${note.id}.`);
}

import { Flags } from '@oclif/core';
import { agendaTable, emptyAgenda } from '../src/cli/calendar/agenda-view.ts';
import { readAgenda } from '../src/cli/calendar/read-agenda.ts';
import { readerClock } from '../src/cli/calendar/reader-zone.ts';
import { ApiCommand } from '../src/cli/kit/command.ts';
import { hasFullScreen } from '../src/cli/kit/terminal.ts';
import { unknownCommand } from '../src/cli/kit/unknown-command.ts';

export default class Calendar extends ApiCommand {
  static override summary = 'Move in your calendar on the terminal: a month, or a week';
  static override description =
    'Arrows go from day to day, Page Up and Page Down to other months or weeks, t to today, m and w show the month or the week, Tab goes from event to event, Enter shows one, n adds one in words, e changes it, d deletes it, / searches, c chooses calendars, ? shows all keys, and q quits. Without a terminal, the events of the next seven days are listed.';
  static override examples = ['<%= config.bin %> calendar'];
  static override strict = false;
  static override flags = {
    zone: Flags.string({ description: 'time zone in which times are shown', helpValue: 'ZONE' }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Calendar);
    if (argv.length > 0) throw unknownCommand(['calendar', ...(argv as string[])], this.config);
    const { terminal } = this;
    if (!hasFullScreen(terminal) || this.wantsJson) {
      await using client = await this.connect(flags);
      const { answer, agenda } = await readAgenda(client, { ...flags, from: 'today', isDrawn: false }, Date.now());
      const empty = emptyAgenda(agenda);
      if (empty !== undefined && !this.wantsJson) this.say(empty);
      return await this.answer(answer, (screen) => agendaTable(agenda, screen));
    }
    await using client = await this.connectToWatch(flags);
    const clock = await readerClock(client, flags.zone);
    const { calendarOnScreen } = await import('../src/cli/calendar/screen/calendar-screen.ts');
    await calendarOnScreen(terminal, { client, clock, screen: async () => await this.screen() });
  }
}

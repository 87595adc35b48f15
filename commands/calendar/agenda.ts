import { Flags } from '@oclif/core';
import { agendaTable, agendaView, emptyAgenda } from '../../src/cli/calendar/agenda-view.ts';
import { readAgenda } from '../../src/cli/calendar/read-agenda.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { paletteOf } from '../../src/cli/kit/terminal.ts';

export default class Agenda extends ApiCommand {
  static override summary = 'Show the events of the next days, or a picture of a week or a month';
  static override description =
    'In pictures, a day with a star is today, a line with > is now, and what overlaps stands beside or below each other. Without a terminal, each event of a day is a line.';
  static override examples = [
    '<%= config.bin %> calendar agenda',
    '<%= config.bin %> calendar agenda --week --from "next Monday"',
    '<%= config.bin %> calendar agenda --month --calendar Work',
  ];
  static override flags = {
    from: Flags.string({ description: 'first day: Monday, 12 May, 2026-05-12', helpValue: 'DAY', default: 'today' }),
    days: Flags.integer({ description: 'how many days; default: 7', helpValue: 'N', min: 1, max: 366 }),
    week: Flags.boolean({ description: 'the week of the first day, as a picture', exclusive: ['days', 'month'] }),
    month: Flags.boolean({ description: 'the month of the first day, as a picture', exclusive: ['days'] }),
    calendar: Flags.string({
      description: 'name or id; may be repeated; default: all that you can see',
      helpValue: 'CALENDAR',
      multiple: true,
      multipleNonGreedy: true,
    }),
    zone: Flags.string({ description: 'time zone in which times are shown', helpValue: 'ZONE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Agenda);
    await using client = await this.connect(flags);
    const { stdout, env } = this.terminal;
    const isDrawn = stdout.isTTY === true && !this.wantsJson;
    const { answer, agenda } = await readAgenda(client, { ...flags, isDrawn }, Date.now());
    const empty = emptyAgenda(agenda);
    if (empty !== undefined && !this.wantsJson) this.say(empty);
    await this.answer(answer, (screen) =>
      isDrawn ? agendaView(agenda, screen, paletteOf(stdout, env)) : agendaTable(agenda, screen),
    );
  }
}

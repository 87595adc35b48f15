import { Args, Flags } from '@oclif/core';
import { allRegions, holidaysOf, holidayTable, regionTable } from '../../src/cli/calendar/holidays.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';

export default class Holidays extends ApiCommand {
  static override summary = 'List the public holidays of a country or region, or the countries and regions';
  static override description =
    'Without an argument, it lists the countries and regions. Days that follow the moon may be a day off from what is proclaimed. Programs subscribe to the address `icsUrl` in the JSON.';
  static override examples = [
    '<%= config.bin %> calendar holidays',
    '<%= config.bin %> calendar holidays de-by --year 2027',
  ];
  static override args = { country: Args.string({ description: 'id or name of a country or region' }) };
  static override flags = {
    year: Flags.integer({ description: 'year of the holidays; default: this year', helpValue: 'YEAR' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Holidays);
    await using client = await this.connect(flags);
    if (args.country === undefined) {
      const catalog = await allRegions(client, flags.year);
      return await this.answer({ catalog }, (screen) => regionTable(screen, catalog));
    }
    const found = await holidaysOf(client, args.country, flags.year);
    await this.answer(found, (screen) => holidayTable(screen, found.holidays));
  }
}

import List from './reports/list.ts';

export default class Reports extends List {
  static override examples = ['<%= config.bin %> social reports', '<%= config.bin %> social reports --hub garden'];
}

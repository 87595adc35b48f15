import List from './requests/list.ts';

export default class Requests extends List {
  static override examples = ['<%= config.bin %> social requests'];
}

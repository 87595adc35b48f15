import List from './requests/list.ts';

export default class Requests extends List {
  static override examples = ['<%= config.bin %> social requests'];
  // oclif looks for these in no class above one that declares nothing, as that of lists.
  static override baseFlags = List.baseFlags;
}

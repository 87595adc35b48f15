import { LOBBY, newTalk, unbegunPlace, type State } from './state.ts';

/** What is on the screen before anything was read. */
export function firstState(me: State['me'], size: Pick<State, 'columns' | 'rows'>): State {
  return {
    me,
    ...size,
    places: new Map([[LOBBY, unbegunPlace(LOBBY, 'Conclave', 'server', 0)]]),
    talks: new Map([[LOBBY, { ...newTalk, isLoading: false }]]),
    openId: LOBBY,
    pane: 'list',
    chosen: undefined,
    filter: '',
    isFiltering: false,
    names: new Map([[me.id, me.name]]),
    link: 'live',
    note: '',
    asking: undefined,
    panel: undefined,
  };
}

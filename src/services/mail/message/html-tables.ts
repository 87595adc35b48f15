import type { DomNode, FormatCallback } from 'html-to-text';

/** What stands in a table, beside text and rows. Forms and <center> are not meant to, but mail has them there. */
const groups = new Set(['thead', 'tbody', 'tfoot', 'form', 'center']);

/** Elements that are read by `tableText`; all but the first are of a table that is not well-formed, if they are met outside of one. */
export const tableElements = ['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'] as const;

const ofTables = new Set<string>(tableElements);

type Cell = DomNode[];

/**
 * Writes a table as the HTML Standard has it (`innerText`): a tab between cells, a line for each row. Tables are the layout of mails, too:
 * what is empty is left out, and cells of paragraphs, or of several lines each, stand one below the other with empty lines between.
 * The printer of the library pads cells to columns, and has as many of them as `colspan` says, so its output has no bound. This adds two
 * characters for each cell at most.
 */
export const tableText: FormatCallback = (element, walk, builder) => {
  const isTable = element.name === 'table';
  const breaks = isTable ? 2 : 1;
  builder.openTable();
  for (const cells of rowsOf(isTable ? element.children : [element])) {
    builder.openTableRow();
    for (const cell of cells) {
      builder.openTableCell();
      walk(cell, builder);
      builder.closeTableCell();
    }
    builder.closeTableRow();
  }
  builder.closeTable({
    tableToString: (rows) => {
      const text = textOfRows(rows.map((cells) => cells.map((cell) => cell.text)));
      // Once for all tables that are in each other, since every pass reads all of the text.
      return isInTable(element) ? text : withoutGaps(text);
    },
    leadingLineBreaks: breaks,
    trailingLineBreaks: breaks,
  });
};

function isInTable({ parent }: DomNode): boolean {
  let at = parent;
  // The parser has null above the root.
  while (at && !isOfTable(at)) at = at.parent;
  return Boolean(at);
}

function isOfTable({ name = '' }: DomNode): boolean {
  return ofTables.has(name);
}

/** The rows of a table. What is in no row or cell is a row or cell of its own. */
function rowsOf(nodes: readonly DomNode[]): Cell[][] {
  const rows: Cell[][] = [];
  let loose: DomNode[] = [];
  const endLoose = (): void => {
    if (loose.length > 0) rows.push(cellsOf(loose));
    loose = [];
  };
  for (const node of nodes) {
    if (node.name === 'tr') {
      endLoose();
      rows.push(cellsOf(node.children));
    } else if (groups.has(node.name ?? '')) {
      endLoose();
      for (const row of rowsOf(node.children)) rows.push(row);
    } else if (node.name === 'caption') {
      endLoose();
      rows.push([node.children]);
    } else loose.push(node);
  }
  endLoose();
  return rows;
}

function cellsOf(nodes: readonly DomNode[]): Cell[] {
  const cells: Cell[] = [];
  let loose: DomNode[] | undefined;
  for (const node of nodes) {
    if (node.name === 'td' || node.name === 'th') {
      cells.push(node.children);
      loose = undefined;
    } else if (groups.has(node.name ?? '')) {
      for (const cell of cellsOf(node.children)) cells.push(cell);
      loose = undefined;
    } else if (loose === undefined) cells.push((loose = [node]));
    else loose.push(node);
  }
  return cells;
}

function textOfRows(rows: readonly (readonly string[])[]): string {
  let text = '';
  let wasApart = false;
  for (const row of rows) {
    // Blanks before the first word of a list belong to it.
    const cells = row.filter((cell) => cell.trim() !== '').map((cell) => cell.replace(/^\s*\n/, '').trimEnd());
    if (cells.length === 0) continue;
    const long = cells.filter((cell) => cell.includes('\n'));
    const isBelow = long.length > 1 || long.some((cell) => cell.includes('\n\n'));
    const isAlone = cells.length === 1;
    const isApart = isBelow || (isAlone && long.length === 1);
    const line = isBelow || isAlone ? cells.join('\n\n') : cells.map((cell) => cell.trim()).join('\t');
    text += (text === '' ? '' : isApart || wasApart ? '\n\n' : '\n') + line;
    wasApart = isApart;
  }
  return text;
}

/** One empty line at most, where elements that only make room have left several. */
function withoutGaps(text: string): string {
  return text.replaceAll(/\n(?:[^\S\n]*\n){2,}/g, '\n\n');
}

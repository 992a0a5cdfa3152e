import { html, type Html } from './html.ts';

/** One cell of a table for people: its text, and its link. */
export interface TableCell {
  readonly text: string;
  readonly href?: string | undefined;
  readonly tone?: 'bad' | 'soft' | 'good' | undefined;
}

/** A column: its title, and whether it has amounts, which are right-aligned. */
export interface TableColumn {
  readonly title: string;
  readonly isAmount?: boolean;
}

/** Renders a table with a title and the number of rows beyond those shown; shows `none` for an empty one. */
export function pageTable(table: {
  readonly title: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly TableCell[])[];
  readonly totals?: readonly TableCell[] | undefined;
  readonly none: string;
  readonly more?: { readonly text: string; readonly href: string } | undefined;
}): Html {
  const { title, columns, rows, totals, none, more } = table;
  const cell = ({ text, href, tone }: TableCell, at: number): Html =>
    html`<td class="${[columns[at]?.isAmount === true ? 'n' : '', tone ?? ''].join(' ').trim()}">
      ${href === undefined ? text : html`<a href="${href}">${text}</a>`}
    </td>`;
  const body = html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th class="${column.isAmount === true ? 'n' : ''}">${column.title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map(cell)}
            </tr>`,
        )}
        ${
          totals !== undefined &&
          html`<tr class="total">
            ${totals.map(cell)}
          </tr>`
        }
      </tbody>
    </table>
  </div>`;
  return html`<section>
    <h2>${title}</h2>
    ${rows.length === 0 ? html`<p class="soft">${none}</p>` : body}
    ${more !== undefined && html`<p><a href="${more.href}">${more.text}</a></p>`}
  </section>`;
}

/** Formats an amount for people: two decimals, thousands separators. */
export const pageMoney = (value: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

import { html, type Html } from './html.ts';

/** One cell of a table for people: its text, and where it leads. */
export interface TableCell {
  readonly text: string;
  readonly href?: string | undefined;
  readonly tone?: 'bad' | 'soft' | 'good' | undefined;
}

/** A column: its title, and whether it holds amounts, which stand to the right. */
export interface TableColumn {
  readonly title: string;
  readonly isAmount?: boolean;
}

/** A table with a title and how many rows there are beyond those shown; `none` is said in place of an empty one. */
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

/** An amount for people: two decimals, thousands apart. */
export const pageMoney = (value: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

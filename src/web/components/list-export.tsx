import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { csvBlob, toCsv } from '../data/csv.ts';
import { saveFile } from '../data/download.ts';
import { formatCount } from '../data/format.ts';
import { clearErrors, showError, showMessage } from './flash.ts';
import { Icon } from './icons.tsx';

const rowsPerCall = 200;

/** A column of an exported list. Excel shows the texts of the last two kinds as numbers. */
export type ExportColumn<Row> = readonly [
  head: string,
  cell: (row: Row) => string | null,
  as?: 'text' | 'number' | 'amount',
];

interface Part<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly more?: boolean;
}

interface ListExportProps<Row> {
  name: string;
  columns: readonly ExportColumn<Row>[];
  total: number;
  read: (place: { readonly page: number; readonly page_size: number }) => Promise<Part<Row>>;
}

/**
 * Saves all counted rows of a list as CSV or for Excel.
 *
 * @param name the name of the file, without its ending
 * @param total the number of counted rows; 0 while loading
 * @param read reads one page
 */
export function ListExport<Row>({ name, columns, total, read }: ListExportProps<Row>) {
  const save = useMutation({
    mutationFn: async (as: 'csv' | 'xlsx') => {
      clearErrors();
      const rows: Row[] = [];
      let isMore = false;
      for (let page = 1, known = total; rows.length < known; page += 1) {
        const part = await read({ page, page_size: rowsPerCall });
        [known, isMore] = [part.total, part.more === true];
        if (part.rows.length === 0) break;
        rows.push(...part.rows);
      }
      if (as === 'csv') saveFile(csvBlob(toCsv(columns, rows)), `${name}.csv`);
      else saveFile((await import('../data/workbook.ts')).workbookBlob(columns, rows), `${name}.xlsx`);
      if (isMore) showMessage(`Saved the first ${formatCount(rows.length)} entries. To save others, filter by date.`);
    },
    onError: (error) => showError(error.message),
  });
  return (
    <Menu width={180} position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="default"
          loading={save.isPending}
          disabled={total === 0}
          rightSection={<Icon name="down" size={14} />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save.mutate('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => save.mutate('xlsx')}>Excel</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Saves loaded rows. */
export const RowsExport = <Row,>({
  rows,
  isDisabled,
  ...props
}: Pick<ListExportProps<Row>, 'name' | 'columns'> & { rows: readonly Row[]; isDisabled: boolean }) => (
  <ListExport
    {...props}
    total={isDisabled ? 0 : rows.length}
    read={() => Promise.resolve({ rows, total: rows.length })}
  />
);

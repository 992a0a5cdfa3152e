import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { csvBlob, toCsv } from '../data/csv.ts';
import { saveFile } from '../data/download.ts';
import { formatCount } from '../data/format.ts';
import { clearErrors, showError, showMessage } from './flash.ts';

const rowsPerCall = 200;

interface CsvExportProps<Row> {
  file: string;
  columns: readonly (readonly [string, (row: Row) => string | null])[];
  total: number;
  read: (place: {
    readonly page: number;
    readonly page_size: number;
  }) => Promise<{ readonly rows: readonly Row[]; readonly total: number; readonly more?: boolean }>;
}

/**
 * Saves all counted rows of a list as CSV.
 *
 * @param total the number of counted rows; 0 while loading
 * @param read reads one page
 */
export function CsvExport<Row>({ file, columns, total, read }: CsvExportProps<Row>) {
  const save = useMutation({
    mutationFn: async () => {
      clearErrors();
      const rows: Row[] = [];
      let isMore = false;
      for (let page = 1, known = total; rows.length < known; page += 1) {
        const part = await read({ page, page_size: rowsPerCall });
        [known, isMore] = [part.total, part.more === true];
        if (part.rows.length === 0) break;
        rows.push(...part.rows);
      }
      saveFile(csvBlob(toCsv(columns, rows)), file);
      if (isMore) showMessage(`Saved the first ${formatCount(rows.length)} entries. To save others, filter by date.`);
    },
    onError: (error) => showError(error.message),
  });
  return (
    <Button variant="default" loading={save.isPending} disabled={total === 0} onClick={() => save.mutate()}>
      Export
    </Button>
  );
}

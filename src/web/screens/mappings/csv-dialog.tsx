import { Button, Group, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { BulletList } from '../../components/bullet-list.tsx';
import { searchMappingTargets } from '#contract/calls/mappings.ts';
import type { MappingRowReply } from '#contract/mappings.ts';
import { call } from '../../data/call.ts';
import { csvBlob } from '../../data/csv.ts';
import { saveFile } from '../../data/download.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { Modal } from '../../components/modal.tsx';
import type { CsvPreview } from './csv.ts';
import type { NamespaceLabels } from './namespaces.ts';
import { targetOf } from './rows.ts';
import type { Mappings } from './use-mappings.ts';
import { countOf, formatCount } from '../../data/format.ts';

const maxBytes = 5_000_000;
const maxTargets = 20_000;
const maxShown = 8;

interface CsvDialogProps {
  labels: NamespaceLabels;
  rows: readonly MappingRowReply[];
  isOpen: boolean;
  mappings: Mappings;
  onClose: () => void;
}

/** Exports mappings to a CSV file, and previews and saves an imported file. A file with errors cannot be saved. */
export function CsvDialog({ labels, rows, isOpen, mappings, onClose }: CsvDialogProps) {
  const [preview, setPreview] = useState<CsvPreview | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [fileName, setFileName] = useState('');
  const { namespace } = labels;
  const close = () => {
    setPreview(null);
    setProblem(null);
    setFileName('');
    mappings.clearError();
    onClose();
  };
  const read = async (file: File) => {
    setPreview(null);
    setProblem(null);
    setFileName(file.name);
    mappings.clearError();
    if (file.size > maxBytes) return setProblem('The file is too large. Choose a file of at most 5 MB.');
    try {
      const [{ fromCsv }, text, { data }] = await Promise.all([
        import('./csv.ts'),
        file.text(),
        call(searchMappingTargets, { params: { namespace }, query: { limit: maxTargets } }),
      ]);
      return setPreview(fromCsv(text, rows, data.options));
    } catch (error) {
      return setProblem(error instanceof Error ? error.message : 'The file could not be read. Choose a CSV file.');
    }
  };
  const save = async () => {
    if (preview !== null && preview.errors.length === 0 && preview.changes.length > 0)
      if (await mappings.save(preview.changes)) close();
  };
  return (
    <Modal opened={isOpen} onClose={close} title="CSV file" size={640}>
      <DialogForm
        submitLabel={preview === null ? 'Save' : `Save ${countOf(preview.changes.length, 'change')}`}
        cancelLabel="Close"
        error={problem ?? mappings.error}
        isBusy={mappings.isSaving}
        isDisabled={
          mappings.isReadOnly || preview === null || preview.errors.length > 0 || preview.changes.length === 0
        }
        onSubmit={() => void save()}
        onCancel={close}
      >
        <Group gap="md" justify="space-between" wrap="nowrap">
          <Text
            inherit
          >{`Export all ${labels.many}, edit the file, and import it. An empty QuickBooks id and name deletes the mapping.`}</Text>
          <Button
            variant="default"
            flex="none"
            onClick={() =>
              void import('./csv.ts').then(({ toCsv }) => saveFile(csvBlob(toCsv(rows)), `${namespace}-mappings.csv`))
            }
          >
            Export CSV
          </Button>
        </Group>
        <FileField name={fileName} onChoose={(file) => void read(file)} />
        {preview !== null && <Preview preview={preview} />}
      </DialogForm>
    </Modal>
  );
}

/** Chooses a file. @param name of the chosen file; empty without one */
function FileField({ name, onChoose }: { name: string; onChoose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Group gap="sm">
      <Button variant="default" onClick={() => input.current?.click()}>
        Import a CSV file
      </Button>
      <Text inherit c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <bdi>{name}</bdi>
      </Text>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        hidden
        aria-label="Import a CSV file"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          // Otherwise the browser ignores the same file after the user has fixed it.
          currentTarget.value = '';
          if (file !== undefined) onChoose(file);
        }}
      />
    </Group>
  );
}

function Preview({ preview: { changes, unchanged, kept, errors } }: { preview: CsvPreview }) {
  if (errors.length > 0)
    return (
      <Notice tone="bad" role="alert">
        {`${countOf(errors.length, 'line')} cannot be imported. Fix the file and choose it again.`}
        <BulletList items={errors.map(({ line, text }) => `Line ${line}: ${text}`)} max={maxShown} />
      </Notice>
    );
  return (
    <Notice tone="info" role="status">
      {changes.length === 0
        ? kept === 0 && 'No changes. The file matches the saved mappings.'
        : `${countOf(changes.length, 'mapping')} will change, ${formatCount(unchanged + kept)} will not.`}
      {kept > 0 && ` ${countOf(kept, 'mapping')} changed by another user after the export will stay.`}
      <BulletList
        max={maxShown}
        items={changes.map(({ row, target }) => (
          <>
            <bdi>{row.label}</bdi>:{' '}
            <bdi>{row.xref === null ? 'not mapped' : targetOf(row) || row.xref.target_value}</bdi> →{' '}
            <bdi>{target?.text ?? 'not mapped'}</bdi>
          </>
        ))}
      />
    </Notice>
  );
}

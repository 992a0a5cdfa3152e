import { createContext, type MouseEvent, type ReactNode, use } from 'react';
import { Link } from 'react-router';
import { followsInvoice, type Kind, type SubmittableKind } from '#core/kinds.ts';

/** A document of the PSA. Payments, voids and differences belong to their invoice. */
export interface DocumentPlace {
  readonly kind: SubmittableKind;
  readonly id: number;
}

/** Returns the document that a log entry, a result or a row is about. @param id of the document in the PSA */
export const placeOf = (type: Kind, id: number): DocumentPlace => ({
  // Only these kinds remain.
  kind: followsInvoice(type) ? 'invoice' : (type as SubmittableKind),
  id,
});

/** Returns the path of a document's page. */
export const documentPath = ({ kind, id }: DocumentPlace): string => `/documents/${kind}/${id}`;

/** Key of a document among those of a list. */
export const keyOfPlace = ({ kind, id }: DocumentPlace): string => `${kind} ${id}`;

/** The open side panel with a document; the shell provides it. */
export interface DocumentOpener {
  /** Key of the open document; null if the panel is closed. */
  readonly open: string | null;
  /** Opens a document beside the list that shows it. */
  readonly openBeside: (place: DocumentPlace) => void;
}

export const DocumentOpenerContext = createContext<DocumentOpener | null>(null);

/** Returns the side panel for documents; null where there is none. */
export const useDocumentOpener = (): DocumentOpener | null => use(DocumentOpenerContext);

/**
 * The number of a document. A click opens the document beside the list; in a new tab, and without a side panel, it opens
 * the page of the document.
 *
 * @param isPage always opens the page, e.g. from another side panel
 */
export function DocumentLink({
  type,
  entityid,
  isPage = false,
  label,
  children,
}: {
  type: Kind;
  entityid: number;
  isPage?: boolean;
  label?: string;
  children: ReactNode;
}) {
  const opener = useDocumentOpener();
  const place = placeOf(type, entityid);
  const path = documentPath(place);
  if (isPage || opener === null)
    return (
      <Link to={path} aria-label={label}>
        {children}
      </Link>
    );
  const key = keyOfPlace(place);
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    opener.openBeside(place);
  };
  return (
    <Link
      to={path}
      data-document={key}
      aria-current={opener.open === key ? 'true' : undefined}
      aria-label={label}
      onClick={onClick}
    >
      {children}
    </Link>
  );
}

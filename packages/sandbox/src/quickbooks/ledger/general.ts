import { amountAt, cents, zero } from '../amounts.ts';
import { docAt, listAt, refAt, textAt } from '../doc.ts';
import { descriptionOf, headerDimensions, type PostedDocument, type PostedParty, type Posting } from './posting.ts';

/** Returns the postings of a journal entry: its lines. */
export function journalPostings({ body }: PostedDocument): Posting[] {
  const header = headerDimensions(body);
  return listAt(body, 'Line').flatMap((line): Posting[] => {
    const detail = docAt(line, 'JournalEntryLineDetail');
    const posting = textAt(detail, 'PostingType');
    if (posting === undefined) return [];
    const amount = cents(amountAt(line, 'Amount') ?? zero);
    const entity = docAt(detail, 'Entity');
    const [type, id] = [textAt(entity, 'Type'), refAt(entity, 'EntityRef')];
    const party: PostedParty | undefined =
      id !== undefined && (type === 'Customer' || type === 'Vendor' || type === 'Employee') ? { type, id } : undefined;
    return [
      {
        ...header,
        lineId: textAt(line, 'Id'),
        description: descriptionOf(line),
        accountId: refAt(detail, 'AccountRef'),
        amount: posting === 'Debit' ? amount : amount.negated(),
        classId: refAt(detail, 'ClassRef') ?? header.classId,
        departmentId: refAt(detail, 'DepartmentRef') ?? header.departmentId,
        party,
      },
    ];
  });
}

/** Returns the postings of a transfer: out of one account into the other. */
export function transferPostings({ body }: PostedDocument): Posting[] {
  const header = headerDimensions(body);
  const amount = cents(amountAt(body, 'Amount') ?? zero);
  return [
    { ...header, accountId: refAt(body, 'ToAccountRef'), amount },
    { ...header, accountId: refAt(body, 'FromAccountRef'), amount: amount.negated() },
  ];
}

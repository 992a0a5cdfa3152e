import {
  expenseAccounts,
  otherExpenseAccount,
  type PurchaseLine,
  type PurchaseStep,
  type Vendor,
} from './purchase-steps.ts';

/** An amount on an account; debits are above zero. */
interface Split {
  readonly account: string;
  readonly cents: number;
}

/** An order, bill or vendor credit in QuickBooks. */
interface BookedPurchase {
  total: number;
  /** None for an order, which posts nothing. */
  splits: readonly Split[];
  vendor: number;
  isDeleted: boolean;
  isClosed: boolean;
  on: 'its day' | 'another day' | 'another month';
  isRecoded: boolean;
  hasClass: boolean;
  /** Cents that were paid. */
  paid: number;
  /** Totals of both sides at the time of posting. */
  readonly posted: { readonly total: number; readonly psaTotal: number };
}

/** An order or expense report on one or both sides, or a document that a user typed into QuickBooks. */
export interface Purchase {
  readonly name: string;
  readonly kind: 'order' | 'report' | 'vendor_credit';
  readonly vendor: number;
  readonly lines: readonly PurchaseLine[];
  psa: { total: number; isWithdrawn: boolean } | null;
  books: BookedPurchase | null;
  readonly copyOf: string | null;
}

/** Advice that the product must give about a purchase, by the codes of its messages. */
export type PurchaseAdvice =
  | 'ORDER_CANCELED'
  | 'REPORT_WITHDRAWN'
  | 'MISSING_IN_BOOKS'
  | 'CHANGED_SINCE'
  | 'EDITED_IN_BOOKS';

/** A difference of a purchase that the proof of the month must name. */
export interface PurchaseDifference {
  readonly purchase: string;
  readonly class: string;
  /** By how much it makes QuickBooks higher than the PSA. */
  readonly cents: number;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Cents of the lines after the first, which takes all changes and stays above zero. */
const restOf = ({ lines }: Purchase): number => sumOf(lines.slice(1).map(({ cents }) => cents));

/** Purchases in both services, computed by an independent double entry. */
export class Purchases {
  readonly vendors: readonly Vendor[];
  readonly all = new Map<string, Purchase>();

  constructor(vendors: readonly Vendor[]) {
    this.vendors = vendors;
  }

  /** Returns the document of a purchase in QuickBooks, unless it is deleted. */
  live(purchase: Purchase | undefined): BookedPurchase | null {
    return purchase === undefined || purchase.books === null || purchase.books.isDeleted ? null : purchase.books;
  }

  /** Returns whether a step can happen in the present state of both services. */
  isPossible(step: PurchaseStep): boolean {
    const purchase = this.all.get(step.purchase);
    const books = this.live(purchase);
    switch (step.do) {
      case 'order':
      case 'report':
        return purchase === undefined && this.vendors[step.vendor]?.isEmployee === (step.do === 'report');
      case 'type_bill':
      case 'type_vendor_credit':
        return purchase === undefined;
      case 'type_purchase_again': {
        const original = this.all.get(step.copyOf);
        const was = this.live(original);
        const isCopied = [...this.all.values()].some(({ copyOf }) => copyOf === step.copyOf);
        return purchase === undefined && was !== null && original?.psa !== null && !isCopied;
      }
      default:
        return purchase !== undefined && purchase.psa !== null && this.#canChange(step, purchase, books);
    }
  }

  #canChange(step: PurchaseStep, purchase: Purchase, books: BookedPurchase | null): boolean {
    const { psa, kind } = purchase;
    if (psa === null) return false;
    switch (step.do) {
      case 'edit_purchase_in_psa':
        return !psa.isWithdrawn && books?.paid === 0 && psa.total + step.cents > restOf(purchase);
      case 'withdraw':
        return !psa.isWithdrawn && books !== null && books.on !== 'another month' && books.paid === 0;
      case 'withdraw_no_more':
        return psa.isWithdrawn && books !== null;
      case 'pay_bill':
        return kind === 'report' && !psa.isWithdrawn && books !== null && step.cents <= books.total - books.paid;
      case 'close_order':
        return kind === 'order' && books !== null && !books.isClosed;
      case 'reopen_order':
        return kind === 'order' && books?.isClosed === true;
      default:
        return books !== null && books.paid === 0 && !books.isClosed && this.#canEdit(step, purchase, books);
    }
  }

  #canEdit(step: PurchaseStep, purchase: Purchase, books: BookedPurchase): boolean {
    const { kind, psa } = purchase;
    switch (step.do) {
      case 'edit_purchase_in_accounting':
        return books.total + step.cents > restOf(purchase);
      case 'recode':
        return !books.isRecoded;
      case 'reclass':
        return !books.hasClass;
      case 'give_to_other_vendor':
        return step.vendor !== books.vendor && this.vendors[step.vendor]?.isEmployee === (kind === 'report');
      case 'redate_purchase':
        return step.on !== books.on && !(step.on === 'another month' && psa?.isWithdrawn === true);
      default:
        return step.do === 'delete_purchase';
    }
  }

  /** Applies the step of a person, which must be possible. */
  apply(step: PurchaseStep): void {
    switch (step.do) {
      case 'order':
      case 'report': {
        const total = sumOf(step.lines.map(({ cents }) => cents));
        const { do: kind, purchase: name, vendor, lines } = step;
        this.#add({ name, kind, vendor, lines, psa: { total, isWithdrawn: false } });
        return;
      }
      case 'type_bill':
      case 'type_vendor_credit': {
        const kind = step.do === 'type_bill' ? 'report' : 'vendor_credit';
        const { purchase: name, vendor, cents } = step;
        const sign = kind === 'report' ? 1 : -1;
        const splits = [{ account: expenseAccounts[1], cents: sign * cents }];
        this.#add({ name, kind, vendor, books: bookedOf(vendor, sign * cents, splits) });
        return;
      }
      case 'type_purchase_again': {
        const was = this.all.get(step.copyOf);
        if (was === undefined || was.books === null) return;
        const { kind, vendor, lines, books } = was;
        const copy = { ...books, isClosed: false, paid: 0, on: 'its day' } as const;
        this.#add({ name: step.purchase, kind, vendor, lines, books: copy, copyOf: step.copyOf });
        return;
      }
      default:
        this.#change(step);
    }
  }

  #add(purchase: Pick<Purchase, 'name' | 'kind' | 'vendor'> & Partial<Purchase>): void {
    this.all.set(purchase.name, { lines: [], psa: null, books: null, copyOf: null, ...purchase });
  }

  #change(step: PurchaseStep): void {
    const { psa = null, books = null } = this.all.get(step.purchase) ?? {};
    if (psa === null) return;
    if (step.do === 'edit_purchase_in_psa') psa.total += step.cents;
    if (step.do === 'withdraw') psa.isWithdrawn = true;
    if (step.do === 'withdraw_no_more') psa.isWithdrawn = false;
    if (books === null) return;
    if (step.do === 'pay_bill') books.paid += step.cents;
    if (step.do === 'close_order') books.isClosed = true;
    if (step.do === 'reopen_order') books.isClosed = false;
    if (step.do === 'reclass') books.hasClass = true;
    if (step.do === 'give_to_other_vendor') books.vendor = step.vendor;
    if (step.do === 'redate_purchase') books.on = step.on;
    if (step.do === 'delete_purchase') books.isDeleted = true;
    const [first, ...others] = books.splits;
    if (step.do === 'recode') {
      books.isRecoded = true;
      if (first !== undefined) books.splits = [{ ...first, account: otherExpenseAccount }, ...others];
    }
    if (step.do !== 'edit_purchase_in_accounting') return;
    books.total += step.cents;
    if (first !== undefined) books.splits = [{ ...first, cents: first.cents + step.cents }, ...others];
  }

  /** Posts orders and reports that QuickBooks does not have yet. */
  sync(): void {
    for (const purchase of this.all.values()) {
      const { psa, books, kind, vendor, lines } = purchase;
      if (psa === null || psa.isWithdrawn || books !== null) continue;
      const splits = lines.map(({ what, cents }) => ({ account: expenseAccounts[what], cents }));
      purchase.books = bookedOf(vendor, psa.total, kind === 'order' ? [] : splits);
    }
  }

  /** Returns debits less credits in cents by vendor and account. */
  entries(): readonly (readonly [vendor: string, account: string, debit: number])[] {
    return [...this.all.values()].flatMap((purchase) => {
      const books = this.live(purchase);
      if (books === null || purchase.kind === 'order') return [];
      const vendor = this.vendors[books.vendor]?.name ?? '';
      return [
        [vendor, 'Accounts Payable', books.paid - books.total] as const,
        ...books.splits.map(({ account, cents }) => [vendor, account, cents] as const),
        ...(books.paid === 0 ? [] : [[vendor, 'Bank', -books.paid] as const]),
      ];
    });
  }

  /** Returns the codes of the messages that a user needs about a purchase after a sync. */
  adviceOn({ kind, psa, books, vendor }: Purchase): readonly PurchaseAdvice[] {
    if (psa === null || books === null) return [];
    const isGone = books.isDeleted;
    if (psa.isWithdrawn) {
      if (isGone || books.isClosed) return [];
      return [kind === 'order' ? 'ORDER_CANCELED' : 'REPORT_WITHDRAWN'];
    }
    // Items of a report were withdrawn.
    if (kind === 'report' && psa.total < books.posted.psaTotal && !isGone) return ['REPORT_WITHDRAWN'];
    if (isGone) return ['MISSING_IN_BOOKS'];
    const isChanged = books.total !== books.posted.total;
    // A changed total already says that lines changed. A class is the business of users of QuickBooks.
    const isEdited = books.vendor !== vendor || books.on !== 'its day' || (books.isRecoded && !isChanged);
    return [...(isChanged ? (['CHANGED_SINCE'] as const) : []), ...(isEdited ? (['EDITED_IN_BOOKS'] as const) : [])];
  }

  /** Returns the differences of the month that need a decision. Bills and credits of vendors are ordinary business. */
  differences(): readonly PurchaseDifference[] {
    return [...this.all.values()].flatMap((purchase) =>
      purchase.psa === null ? this.#ofTyped(purchase) : this.#ofPosted(purchase),
    );
  }

  #ofTyped(purchase: Purchase): readonly PurchaseDifference[] {
    const books = this.live(purchase);
    const original = purchase.copyOf === null ? null : this.live(this.all.get(purchase.copyOf));
    if (books === null || original === null) return [];
    // A copy of a document that was changed since is a document of the vendor.
    const isSame =
      books.total === original.total && books.vendor === original.vendor && books.isRecoded === original.isRecoded;
    return isSame ? [{ purchase: purchase.name, class: 'possible_duplicate', cents: books.total }] : [];
  }

  #ofPosted(purchase: Purchase): readonly PurchaseDifference[] {
    const { name, kind, psa, books, vendor } = purchase;
    if (psa === null || books === null) return [];
    const of = (found: string, cents = 0): PurchaseDifference => ({ purchase: name, class: found, cents });
    if (psa.isWithdrawn) return books.isDeleted || books.isClosed ? [] : [of('voided_in_psa', books.total)];
    if (books.isDeleted) return [of('deleted_in_accounting', -psa.total)];
    const edited = books.total - books.posted.total;
    const billed = books.posted.psaTotal - psa.total;
    return [
      ...(edited === 0 ? [] : [of('edited_in_accounting', edited)]),
      ...(billed === 0 ? [] : [of('edited_in_psa', billed)]),
      ...(books.on === 'another month' ? [of('date_edited', -books.total)] : []),
      ...(books.on === 'another day' ? [of('date_differs')] : []),
      ...(books.vendor === vendor ? [] : [of('customer_differs')]),
      ...(books.isRecoded ? [of(kind === 'order' ? 'item_differs' : 'account_differs')] : []),
      ...(books.hasClass ? [of('class_differs')] : []),
    ];
  }
}

const bookedOf = (vendor: number, total: number, splits: readonly Split[]): BookedPurchase => ({
  total,
  splits,
  vendor,
  isDeleted: false,
  isClosed: false,
  on: 'its day',
  isRecoded: false,
  hasClass: false,
  paid: 0,
  posted: { total, psaTotal: total },
});

import type { ComponentType } from 'react';
import { matchPath } from 'react-router';
import type { Role } from '#core/roles.ts';
import type { IconName } from '../components/icons.tsx';
import * as Login from '../screens/login/login.tsx';

/** One screen, with everything that the menu, the guard and the router need. */
export interface Screen {
  /** The first path is used in links; the others also open the screen. */
  readonly paths: readonly [string, ...string[]];
  readonly label: string;
  /** One of the things under a path with a parameter, within a sentence. */
  readonly one?: string;
  readonly icon: IconName;
  /** The menu group; `account` is the user menu. Null: not in a menu. */
  readonly group: 'overview' | 'documents' | 'mappings' | 'records' | 'setup' | 'account' | null;
  /** One of them is enough; `any`: every logged-in user; `public`: no session needed. */
  readonly roles: readonly Role[] | 'any' | 'public';
  /** In the menu only while both services are connected; disabled while a request runs. */
  readonly needsConnections?: boolean;
  /** In the menu only if approval is required, or documents wait for approval. */
  readonly needsDrafts?: boolean;
  /** In the menu only until the setup is done or closed. */
  readonly needsSetup?: boolean;
  readonly load: () => Promise<{ readonly Component: ComponentType }>;
}

/** Path of the only screen that never shows the menu. */
export const loginPath = '/login';

/** Path of the action that logs the user out. */
export const logoutPath = '/logout';

const client: readonly Role[] = ['clientadmin'];
const readers: readonly Role[] = ['clientadmin', 'accountant'];
const both: readonly Role[] = ['clientadmin', 'sysadmin'];

/** Returns screens of one menu group. */
const inGroup = (group: Screen['group'], members: readonly Omit<Screen, 'group'>[]): readonly Screen[] =>
  members.map((screen) => ({ ...screen, group }));

/** Returns a screen that is in no menu. */
const outside = (path: string, label: string, load: Screen['load'], roles: Screen['roles'] = 'public'): Screen => ({
  paths: [path],
  label,
  icon: 'user',
  group: null,
  roles,
  load,
});

export const screens: readonly Screen[] = [
  ...inGroup('overview', [
    {
      paths: ['/my', '/'],
      label: 'Overview',
      icon: 'overview',
      roles: [...both, 'accountant'],
      load: () => import('../screens/overview/overview.tsx'),
    },
    {
      paths: ['/setup'],
      label: 'Setup',
      icon: 'arrow',
      roles: client,
      needsSetup: true,
      load: () => import('../screens/setup/setup.tsx'),
    },
    {
      paths: ['/needs-attention'],
      label: 'Needs attention',
      icon: 'warning',
      roles: client,
      load: () => import('../screens/needs-attention/needs-attention.tsx'),
    },
    {
      paths: ['/approval'],
      label: 'Approval',
      icon: 'check',
      roles: readers,
      needsDrafts: true,
      load: () => import('../screens/approval/approval.tsx'),
    },
  ]),
  ...inGroup('documents', [
    {
      paths: ['/my-invoices'],
      label: 'Invoices',
      icon: 'invoices',
      roles: client,
      needsConnections: true,
      load: () => import('../screens/sync/invoices.tsx'),
    },
    {
      paths: ['/my-purchase-orders'],
      label: 'Purchase Orders',
      icon: 'orders',
      roles: client,
      load: () => import('../screens/sync/purchase-orders.tsx'),
    },
    {
      paths: ['/my-expenses'],
      label: 'Expense Reports',
      icon: 'expenses',
      roles: client,
      load: () => import('../screens/sync/expenses.tsx'),
    },
  ]),
  ...inGroup('mappings', [
    {
      paths: ['/customer-mappings', '/company-xrefs'],
      label: 'Customer Mappings',
      icon: 'clients',
      roles: client,
      needsConnections: true,
      load: () => import('../screens/mappings/customer-mappings.tsx'),
    },
    {
      paths: ['/vendor-mappings', '/vendor-xrefs'],
      label: 'Vendor Mappings',
      icon: 'truck',
      roles: client,
      needsConnections: true,
      load: () => import('../screens/mappings/vendor-mappings.tsx'),
    },
    {
      paths: ['/expense-mappings', '/expense-xrefs'],
      label: 'Expense Mappings',
      icon: 'expenses',
      roles: client,
      needsConnections: true,
      load: () => import('../screens/mappings/expense-mappings.tsx'),
    },
    {
      paths: ['/item-mappings', '/item-xrefs'],
      label: 'Item Mappings',
      icon: 'items',
      roles: client,
      needsConnections: true,
      load: () => import('../screens/mappings/item-mappings.tsx'),
    },
    {
      paths: ['/lines-of-business', '/lob-xrefs'],
      label: 'Lines of Business',
      icon: 'classes',
      roles: client,
      load: () => import('../screens/mappings/lines-of-business.tsx'),
    },
    {
      paths: ['/locations', '/location-xrefs'],
      label: 'Locations',
      icon: 'place',
      roles: client,
      load: () => import('../screens/mappings/locations.tsx'),
    },
    {
      paths: ['/tax-regions', '/tax-region-xrefs'],
      label: 'Tax Regions',
      icon: 'percent',
      roles: client,
      needsConnections: true,
      load: () => import('../screens/mappings/tax-regions.tsx'),
    },
    {
      paths: ['/custom-fields', '/custom-field-xrefs'],
      label: 'Custom Fields',
      icon: 'fields',
      roles: client,
      needsConnections: true,
      load: () => import('../screens/mappings/custom-fields.tsx'),
    },
  ]),
  ...inGroup('records', [
    {
      paths: ['/runs', '/runs/:id'],
      label: 'Runs',
      one: 'the run',
      icon: 'refresh',
      roles: readers,
      load: () => import('../screens/runs/runs.tsx'),
    },
    {
      paths: ['/month-end', '/month-end/:month', '/close', '/close/:month'],
      label: 'Month-end close',
      one: 'month-end',
      icon: 'check',
      roles: readers,
      load: () => import('../screens/month-end/month-end.tsx'),
    },
    { paths: ['/logs'], label: 'Logs', icon: 'logs', roles: readers, load: () => import('../screens/logs/logs.tsx') },
    {
      paths: ['/audit'],
      label: 'Audit Trail',
      icon: 'shield',
      roles: readers,
      load: () => import('../screens/audit/audit.tsx'),
    },
  ]),
  ...inGroup('setup', [
    {
      paths: ['/clients'],
      label: 'Clients',
      icon: 'clients',
      roles: ['sysadmin'],
      load: () => import('../screens/clients/clients.tsx'),
    },
    {
      paths: ['/status'],
      label: 'Status',
      icon: 'system',
      roles: ['sysadmin'],
      load: () => import('../screens/status/status.tsx'),
    },
    {
      paths: ['/connections'],
      label: 'Connections',
      icon: 'connections',
      roles: both,
      load: () => import('../screens/connections/connections.tsx'),
    },
    {
      paths: ['/settings'],
      label: 'Settings',
      icon: 'settings',
      roles: client,
      load: () => import('../screens/settings/settings.tsx'),
    },
    {
      paths: ['/item-settings'],
      label: 'Item Settings',
      icon: 'items',
      roles: client,
      needsConnections: true,
      load: () => import('../screens/item-settings/item-settings.tsx'),
    },
  ]),
  ...inGroup('account', [
    {
      paths: ['/notices'],
      label: 'Notices',
      icon: 'bell',
      roles: readers,
      load: () => import('../screens/notices/notices.tsx'),
    },
    {
      paths: ['/users'],
      label: 'Users',
      icon: 'clients',
      roles: client,
      load: () => import('../screens/users/users.tsx'),
    },
    {
      paths: ['/api-keys'],
      label: 'API Keys',
      icon: 'lock',
      roles: client,
      load: () => import('../screens/api-keys/api-keys.tsx'),
    },
    {
      paths: ['/webhooks', '/webhooks/:id'],
      label: 'Webhooks',
      icon: 'connections',
      roles: client,
      load: () => import('../screens/webhooks/webhooks.tsx'),
    },
    {
      paths: ['/sessions'],
      label: 'Sessions',
      icon: 'devices',
      roles: 'any',
      load: () => import('../screens/sessions/sessions.tsx'),
    },
    {
      paths: ['/security'],
      label: 'Security',
      icon: 'lock',
      roles: 'any',
      load: () => import('../screens/security/security.tsx'),
    },
  ]),
  {
    ...outside('/documents/:kind/:id', 'Document', () => import('../screens/documents/documents.tsx'), readers),
    one: 'the document',
  },
  outside('/quickbooks/launch', 'Launch', () => import('../screens/connections/launch.tsx'), 'any'),
  outside('/quickbooks/reconnect', 'Reconnect QuickBooks', () => import('../screens/connections/reconnect.tsx'), 'any'),
  outside(
    '/quickbooks/disconnected',
    'QuickBooks disconnected',
    () => import('../screens/connections/disconnected.tsx'),
  ),
  outside('/login', 'Login', () => Promise.resolve(Login)),
  outside('/forgot-password', 'Forgot password', () => import('../screens/forgot-password/forgot-password.tsx')),
  outside('/password/:token', 'Reset password', () => import('../screens/reset-password/reset-password.tsx')),
  outside(
    '/invitation/:token',
    'Accept invitation',
    () => import('../screens/accept-invitation/accept-invitation.tsx'),
  ),
  outside('/register', 'Register', () => import('../screens/register/register.tsx')),
];

/** Returns true if these roles may open the screen. */
export const mayOpen = ({ roles: needed }: Screen, roles: readonly Role[]): boolean =>
  needed === 'public' || needed === 'any' || needed.some((role) => roles.includes(role));

/**
 * Returns the path and label of a screen if these roles may open it, otherwise null. Ignores query and fragment. A page of
 * one run, month or document has a label for a sentence, e.g. “the run”.
 */
export function findScreen(
  path: string,
  roles: readonly Role[],
): { readonly path: string; readonly label: string } | null {
  const [pathname = ''] = path.split(/[?#]/);
  for (const screen of screens.filter((each) => mayOpen(each, roles))) {
    if (screen.paths.includes(pathname)) return { path, label: screen.label };
    if (screen.one !== undefined && screen.paths.some((pattern) => matchPath(pattern, pathname) !== null))
      return { path, label: screen.one };
  }
  return null;
}

import * as apiKeys from './api-keys.ts';
import * as attention from './attention.ts';
import * as audit from './audit.ts';
import * as auth from './auth.ts';
import * as clients from './clients.ts';
import * as closes from './closes.ts';
import * as connections from './connections.ts';
import type { RouteDefinition } from './define.ts';
import * as deployment from './deployment.ts';
import { readCurrentDocument, readDocument } from './documents.ts';
import * as drafts from './drafts.ts';
import { readEnvironment } from './environment.ts';
import * as health from './health.ts';
import * as jobs from './jobs.ts';
import { logs } from './logs.ts';
import * as mappings from './mappings.ts';
import { readMoney } from './money.ts';
import { readMonth } from './month.ts';
import * as notices from './notices.ts';
import * as psa from './psa.ts';
import * as quickbooks from './quickbooks.ts';
import * as register from './register.ts';
import * as requests from './requests.ts';
import * as reviews from './reviews.ts';
import * as signInProvider from './sign-in-provider.ts';
import * as sessions from './sessions.ts';
import * as secondFactor from './second-factor.ts';
import * as settings from './settings.ts';
import { readDetected } from './setup.ts';
import { readSubscription, saveGuide } from './subscription.ts';
import * as sync from './sync.ts';
import * as users from './users.ts';
import * as webhookEndpoints from './webhook-endpoints.ts';
import * as chats from './chats.ts';
import { accountingNotification } from './notifications.ts';

/** Every call, by its operation id. The server registers each, and the OpenAPI document lists each. */
export const routes = {
  login: auth.login,
  logout: auth.logout,
  masquerade: auth.masquerade,
  endMasquerade: auth.endMasquerade,
  signOn: auth.signOn,
  connectTicket: auth.connectTicket,
  forgotPassword: auth.forgotPassword,
  resetPassword: auth.resetPassword,
  forcePasswordReset: auth.forcePasswordReset,
  confirmEmailPage: auth.confirmEmailPage,
  confirmEmail: auth.confirmEmail,
  mailEmailProof: auth.mailEmailProof,
  readAccount: auth.readAccount,
  changePassword: auth.changePassword,
  verifySignOn: auth.verifySignOn,
  authorizeSignOn: auth.authorizeSignOn,
  authorizeSignOnForm: auth.authorizeSignOnForm,
  beginProviderSignIn: signInProvider.beginProviderSignIn,
  providerCallback: signInProvider.providerCallback,
  providerCode: signInProvider.providerCode,
  readSignInProvider: signInProvider.readSignInProvider,
  saveSignInProvider: signInProvider.saveSignInProvider,
  removeSignInProvider: signInProvider.removeSignInProvider,
  testSignInProvider: signInProvider.testSignInProvider,
  requireSignInProvider: signInProvider.requireSignInProvider,
  connectPsaPage: connections.connectPsaPage,
  connectPsaForm: connections.connectPsaForm,
  connectAccounting: connections.connectAccounting,
  connectAccountingCallback: connections.connectAccountingCallback,
  findAccountingCompany: connections.findAccountingCompany,
  validatePsaAccess: register.validatePsaAccess,
  validatePsaResource: register.validatePsaResource,
  completeRegistration: register.completeRegistration,
  readInvitation: users.readInvitation,
  acceptInvitation: users.acceptInvitation,
  listUsers: users.listUsers,
  inviteUser: users.inviteUser,
  resendInvitation: users.resendInvitation,
  withdrawInvitation: users.withdrawInvitation,
  listOwned: users.listOwned,
  deactivateUser: users.deactivateUser,
  reactivateUser: users.reactivateUser,
  removeUser: users.removeUser,
  endUserSessions: users.endUserSessions,
  listSessions: sessions.listSessions,
  endSession: sessions.endSession,
  endOtherSessions: sessions.endOtherSessions,
  listApiKeys: apiKeys.listApiKeys,
  createApiKey: apiKeys.createApiKey,
  revokeApiKey: apiKeys.revokeApiKey,
  listNotices: notices.listNotices,
  readNotice: notices.readNotice,
  readAllNotices: notices.readAllNotices,
  readNoticePreferences: notices.readNoticePreferences,
  saveNoticePreferences: notices.saveNoticePreferences,
  listChats: chats.listChats,
  addChat: chats.addChat,
  changeChat: chats.changeChat,
  removeChat: chats.removeChat,
  testChat: chats.testChat,
  listWebhookEndpoints: webhookEndpoints.listWebhookEndpoints,
  addWebhookEndpoint: webhookEndpoints.addWebhookEndpoint,
  changeWebhookEndpoint: webhookEndpoints.changeWebhookEndpoint,
  pauseWebhookEndpoint: webhookEndpoints.pauseWebhookEndpoint,
  rotateWebhookSecret: webhookEndpoints.rotateWebhookSecret,
  removeWebhookEndpoint: webhookEndpoints.removeWebhookEndpoint,
  testWebhookEndpoint: webhookEndpoints.testWebhookEndpoint,
  listWebhookDeliveries: webhookEndpoints.listWebhookDeliveries,
  resendWebhook: webhookEndpoints.resendWebhook,
  listAskable: requests.listAskable,
  askUsers: requests.askUsers,
  readSecondFactor: secondFactor.readSecondFactor,
  beginSecondFactor: secondFactor.beginSecondFactor,
  confirmSecondFactor: secondFactor.confirmSecondFactor,
  replaceRecoveryCodes: secondFactor.replaceRecoveryCodes,
  turnOffSecondFactor: secondFactor.turnOffSecondFactor,
  requireSecondFactor: secondFactor.requireSecondFactor,
  readEnvironment,
  listClients: clients.listClients,
  listClientStates: clients.listClientStates,
  readMeteredReads: clients.readMeteredReads,
  readDeployment: deployment.readDeployment,
  changeMaintenance: deployment.changeMaintenance,
  readClient: clients.readClient,
  changeClientStatus: clients.changeClientStatus,
  deleteClient: clients.deleteClient,
  exportData: clients.exportData,
  readSubscription,
  saveGuide,
  readSettings: settings.readSettings,
  readSettingsConfig: settings.readSettingsConfig,
  saveSettings: settings.saveSettings,
  readDetected,
  previewSettings: settings.previewSettings,
  readTimeZone: settings.readTimeZone,
  saveTimeZone: settings.saveTimeZone,
  resetSettings: settings.resetSettings,
  readItemSettings: settings.readItemSettings,
  readItemSettingsConfig: settings.readItemSettingsConfig,
  saveItemSettings: settings.saveItemSettings,
  resetItemSettings: settings.resetItemSettings,
  disconnectAccounting: connections.disconnectAccounting,
  disconnectPsa: connections.disconnectPsa,
  testConnection: connections.testConnection,
  readAccounting: quickbooks.readAccounting,
  readAccounts: quickbooks.readAccounts,
  readClasses: quickbooks.readClasses,
  readPreferences: quickbooks.readPreferences,
  readCompanyInfo: quickbooks.readCompanyInfo,
  searchCustomers: quickbooks.searchCustomers,
  searchVendors: quickbooks.searchVendors,
  searchItems: quickbooks.searchItems,
  queryPsa: psa.queryPsa,
  countCompanies: psa.countCompanies,
  readFieldInfo: psa.readFieldInfo,
  readLinesOfBusiness: psa.readLinesOfBusiness,
  readModules: psa.readModules,
  clearSyncErrors: psa.clearSyncErrors,
  listMappings: mappings.listMappings,
  saveMappings: mappings.saveMappings,
  deleteMapping: mappings.deleteMapping,
  suggestMappings: mappings.suggestMappings,
  summarizeMappings: mappings.summarizeMappings,
  readMappingTable: mappings.readMappingTable,
  searchMappingTargets: mappings.searchMappingTargets,
  readMappingUsage: mappings.readMappingUsage,
  listMappingChanges: mappings.listMappingChanges,
  undoMappingChange: mappings.undoMappingChange,
  submitAll: sync.submitAll,
  submitInvoices: sync.submitInvoices,
  submitPurchaseOrders: sync.submitPurchaseOrders,
  submitExpenseReports: sync.submitExpenseReports,
  submitPayments: sync.submitPayments,
  submitVoids: sync.submitVoids,
  submitDifferences: sync.submitDifferences,
  listEligible: sync.listEligible,
  describeDocuments: sync.describeDocuments,
  readReview: reviews.readReview,
  listUnderWay: sync.listUnderWay,
  listJobs: jobs.listJobs,
  listRuns: jobs.listRuns,
  readJob: jobs.readJob,
  watchJob: jobs.watchJob,
  cancelJob: jobs.cancelJob,
  listAttention: attention.listAttention,
  readMonth,
  readMoney,
  logs,
  readDocument,
  readCurrentDocument,
  listCloses: closes.listCloses,
  readClose: closes.readClose,
  prepareClose: closes.prepareClose,
  signClose: closes.signClose,
  decideException: closes.decideException,
  decideExceptions: closes.decideExceptions,
  settleException: closes.settleException,
  downloadClose: closes.downloadClose,
  listDrafts: drafts.listDrafts,
  readRun: drafts.readRun,
  readDraft: drafts.readDraft,
  approveDrafts: drafts.approveDrafts,
  rejectDrafts: drafts.rejectDrafts,
  listAudit: audit.listAudit,
  accountingNotification,
  alive: health.alive,
  ready: health.ready,
  metrics: health.metrics,
} as const satisfies Readonly<Record<string, RouteDefinition>>;

export type RouteName = keyof typeof routes;
export const routeNames = Object.keys(routes) as readonly RouteName[];

// Stands for platform/credential-store/src/credentialStore/CredentialAttributes.kt.
package com.intellij.credentialStore

public data class CredentialAttributes(val serviceName: String, val userName: String? = null)

@Suppress("UNUSED_PARAMETER")
public fun generateServiceName(subsystem: String, key: String): String = throw UnsupportedOperationException()
